// `penstock topics describe`: the topics of queues as Kafka has them, with the settings that matter
// here.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_describe_command(Program& program, CLI::App& topics);

}  // namespace penstock
