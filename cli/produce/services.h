// The real services of the program, which use Kafka.
#pragma once

#include "cli/program/program.h"

namespace penstock {

[[nodiscard]] Services kafka_services();

}  // namespace penstock
