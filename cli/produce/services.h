// The real services of the program: Kafka.
#pragma once

#include "cli/program/program.h"

namespace penstock {

[[nodiscard]] Services kafka_services();

}  // namespace penstock
