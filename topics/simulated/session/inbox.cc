#include "topics/simulated/session/inbox.h"

#include <utility>

namespace penstock::simulated {

void Inbox::put(Arrival arrival) {
  if (!link_.alive()) return;
  link_.world().note(link_.id() * 16 + arrival.index());
  arrivals_.push_back(std::move(arrival));
  tell_once();
}

Arrival Inbox::take() {
  Arrival first = std::move(arrivals_.front());
  arrivals_.pop_front();
  return first;
}

void Inbox::forget_group() {
  std::erase_if(arrivals_, [](const Arrival& arrival) {
    return std::holds_alternative<GroupChanged>(arrival) ||
           std::holds_alternative<MembershipKnown>(arrival) ||
           std::holds_alternative<GroupOffsetKnown>(arrival) ||
           std::holds_alternative<GroupPeersKnown>(arrival);
  });
}

void Inbox::end_poll() {
  told_ = false;
  if (!arrivals_.empty()) tell_once();
}

void Inbox::tell_once() {
  if (!std::exchange(told_, true)) tell();
}

// As an event of its own, so that a poll inside `ready` never runs inside a part of the simulator.
void Inbox::tell() {
  if (ready_) link_.at(link_.world().now(), [this] { ready_(); });
}

}  // namespace penstock::simulated
