#include "topics/embedded/group/coordinator.h"

#include <algorithm>

#include "topics/embedded/group/clock.h"

namespace penstock::embedded {

struct Coordinator::Entry {
  Group group;
  std::map<MemberId, Mailbox*> mailboxes;
};

Coordinator::Coordinator(Duration session_timeout) : session_timeout_(session_timeout) {}
Coordinator::~Coordinator() = default;

Coordinator::Seat Coordinator::join(std::string_view group, std::string_view topic, int partitions,
                                    const std::string& instance_id, Mailbox& mailbox) {
  const std::lock_guard lock(mutex_);
  auto& entry = groups_[{std::string(group), std::string(topic)}];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>(Entry{Group(partitions, session_timeout_), {}});
  }
  const Seat seat{entry.get(), ++last_member_};
  entry->mailboxes.emplace(seat.member, &mailbox);
  entry->group.join(seat.member, instance_id, boot_time());
  changed(*entry);
  return seat;
}

void Coordinator::leave(Seat seat) {
  const std::lock_guard lock(mutex_);
  // The mailbox ends with its session, so it must not be notified after this call.
  seat.group->mailboxes.erase(seat.member);
  seat.group->group.leave(seat.member, boot_time());
  changed(*seat.group);
}

void Coordinator::disappear(Seat seat) {
  const std::lock_guard lock(mutex_);
  seat.group->mailboxes.erase(seat.member);
  seat.group->group.disappear(seat.member, boot_time());
  changed(*seat.group);
}

void Coordinator::finish_revoke(Seat seat, PartitionId partition, std::uint64_t grant) {
  const std::lock_guard lock(mutex_);
  seat.group->group.finish_revoke(seat.member, partition, grant, boot_time());
  changed(*seat.group);
}

bool Coordinator::holds(Seat seat, PartitionId partition, std::uint64_t grant) const {
  const std::lock_guard lock(mutex_);
  return seat.group->group.holds(seat.member, partition, grant);
}

Coordinator::Standing Coordinator::standing(Seat seat) {
  const std::lock_guard lock(mutex_);
  Group& group = seat.group->group;
  return {group.fenced(seat.member), group.take_up(seat.member)};
}

std::chrono::nanoseconds Coordinator::expire(Instant now) {
  const Instant deadline{BootClock::duration(next_deadline_.load())};
  if (now < deadline) return deadline - now;
  const std::lock_guard lock(mutex_);
  for (auto& [name, entry] : groups_) {
    if (entry->group.deadline().value_or(Instant::max()) > now) continue;
    entry->group.expire(now);
    changed(*entry);
  }
  // No time to sleep: the change may concern the caller.
  return {};
}

void Coordinator::changed(Entry& entry) {
  for (auto& [member, mailbox] : entry.mailboxes) mailbox->group_changed();
  Instant next = Instant::max();
  for (const auto& [name, other] : groups_) {
    next = std::min(next, other->group.deadline().value_or(Instant::max()));
  }
  next_deadline_ = next.time_since_epoch().count();
}

}  // namespace penstock::embedded
