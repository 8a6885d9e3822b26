#include "consumer/task/core/task_counters.h"

namespace penstock {
namespace {

using Counter = std::uint64_t TaskCounters::*;

constexpr Counter kOfState[] = {
    &TaskCounters::admitted,
    &TaskCounters::succeeded,
    &TaskCounters::dead,
    &TaskCounters::cancelled,
    &TaskCounters::duplicate,
    &TaskCounters::expired,
    &TaskCounters::bad,
    &TaskCounters::forwarded,
    &TaskCounters::commands,
    &TaskCounters::commands_without_job,
    &TaskCounters::messages_ignored,
    &TaskCounters::slot_reports,
    &TaskCounters::slot_targets,
    &TaskCounters::message_jumps,
    &TaskCounters::messages_missed,
};
constexpr Counter kOfEvents[] = {
    &TaskCounters::started,
    &TaskCounters::failed,
    &TaskCounters::snoozed,
    &TaskCounters::uncounted_failures,
};

}  // namespace

TaskCounters& TaskCounters::operator+=(const TaskCounters& other) {
  for (const Counter counter : kOfState) this->*counter += other.*counter;
  for (const Counter counter : kOfEvents) this->*counter += other.*counter;
  return *this;
}

TaskCounters TaskCounters::recorded_of(const TaskCounters& happened) const {
  TaskCounters both = *this;
  for (const Counter counter : kOfEvents) both.*counter = happened.*counter;
  return both;
}

std::string summary_of(const TaskCounters& counters) {
  return std::to_string(counters.admitted) + " admitted, " + std::to_string(counters.succeeded) +
         " succeeded, " + std::to_string(counters.failed) + " attempts failed, " +
         std::to_string(counters.dead) + " dead, " + std::to_string(counters.duplicate) +
         " duplicates, " + std::to_string(counters.bad) + " bad records";
}

}  // namespace penstock
