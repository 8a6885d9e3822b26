// `penstock topics describe` shows the topics of queues as they are in Kafka, with the settings
// that matter to Penstock.
#pragma once

#include "cli/program/program.h"

namespace penstock {

void add_topics_describe_command(Program& program, CLI::App& topics);

}  // namespace penstock
