// A CommandSender on a Producer. Used from one thread.
#pragma once

#include <memory>

#include "cli/program/command_sender.h"
#include "penstock/producer.h"

namespace penstock {

[[nodiscard]] std::unique_ptr<CommandSender> make_producer_sender(
    std::unique_ptr<Producer> producer);

}  // namespace penstock
