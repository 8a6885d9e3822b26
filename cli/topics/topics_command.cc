#include "cli/topics/topics_command.h"

#include "cli/topics/topics_check_command.h"
#include "cli/topics/topics_create_command.h"
#include "cli/topics/topics_describe_command.h"

namespace penstock {

void add_topics_command(Program& program) {
  CLI::App& topics = program.add_group("topics", "Create, check and show the topics of queues");
  add_topics_create_command(program, topics);
  add_topics_check_command(program, topics);
  add_topics_describe_command(program, topics);
}

}  // namespace penstock
