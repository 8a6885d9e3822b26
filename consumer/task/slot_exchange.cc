#include "consumer/task/slot_exchange.h"

#include <string>
#include <utility>

namespace penstock {

void SlotExchange::set_control(const Control* control) {
  for (Gate* const gate : core_.pauses.set_control(control)) core_.scheduler.open(*gate);
  // After the gates were opened: a gate is forgotten only when no line waits at it.
  core_.pauses.forget_open();
  for (Gate* const gate : core_.replays.set_control(control)) core_.scheduler.open(*gate);
  core_.limits.set_control(control);
  // Before the limits open, so that a lowered one offers no more than it has.
  core_.scheduler.release_exceeded();
  core_.limits.each([&](Limit& limit) {
    release_promises(limit);
    core_.scheduler.open(limit);
  });
}

// A patient line goes on holding promises while attempts must end, but not while it has to wait for
// an operator or another partition, which may take for ever.
void SlotExchange::release_promises(Limit& limit) {
  if (limit.ends_by_itself()) return;
  for (Line* const line : limit.patient_lines()) core_.scheduler.wake(*line);
}

void SlotExchange::report(const SlotStanding& standing) {
  // A job between two iterations starts nothing here any more, but its slots would be reported as
  // in use.
  if (standing.leaving) core_.scheduler.release_all();
  // Until the take-over wait is over, attempts of the previous owner may still use slots that a
  // report would give back.
  if (!standing.waited) return;
  const auto room = [this] { return core_.has_room(); };
  core_.limits.shared().settle(standing.leaving, room,
                               [&](const SharedLimit& limit, SlotReport report) {
                                 ++core_.counters.slot_reports;
                                 core_.outgoing.slot_report(limit.name(), std::move(report));
                               });
}

void SlotExchange::take_target(const LogRecord& record) {
  const auto target =
      record.key && record.value ? parse_slot_target(*record.value) : failure("a tombstone");
  if (!target) return;
  ++core_.counters.slot_targets;
  SharedLimit* const limit = core_.limits.shared().take_target(std::string(*record.key), *target);
  core_.scheduler.release_exceeded();
  if (!limit) return;
  release_promises(*limit);
  core_.scheduler.open(*limit);
}

}  // namespace penstock
