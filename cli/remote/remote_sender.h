// A CommandSender that sends through a worker's HTTP interface, one request per command. Used from
// one thread.
#pragma once

#include <memory>

#include "cli/program/command_sender.h"
#include "cli/remote/reach.h"

namespace penstock {

[[nodiscard]] std::unique_ptr<CommandSender> make_remote_sender(WorkerClient worker);

// The sender of the way that was found. `options`: for a connection of its own.
[[nodiscard]] Result<std::unique_ptr<CommandSender>> open_command_sender(
    Program& program, const Reach& reach, const RemoteOptions& options);

}  // namespace penstock
