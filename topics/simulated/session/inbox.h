// What has arrived at a session, in order of arrival, until poll() passes it on. The session's
// driver is notified once that there is something, and again after the next poll. Belongs to the
// simulator's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "topics/simulated/network/link.h"
#include "topics/simulated/session/arrival.h"

namespace penstock::simulated {

class Inbox {
 public:
  // `ready` is called by the timeline; it may be empty.
  Inbox(const Link& link, std::function<void()> ready) : link_(link), ready_(std::move(ready)) {}
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Dropped once the session has ended.
  void put(Arrival arrival);
  [[nodiscard]] bool empty() const { return arrivals_.empty(); }
  [[nodiscard]] std::size_t size() const { return arrivals_.size(); }
  // The first arrival; there must be one.
  [[nodiscard]] Arrival take();
  void put_back(Arrival arrival) { arrivals_.push_front(std::move(arrival)); }
  void clear() { arrivals_.clear(); }
  // Drops what the group has reported.
  void forget_group();

  // What arrives during a poll needs no further notification until the poll has ended.
  void begin_poll() { told_ = true; }
  void end_poll();
  // Calls `ready` soon, even if nothing has arrived.
  void tell();

 private:
  void tell_once();

  Link link_;
  std::function<void()> ready_;
  bool told_ = false;
  std::deque<Arrival> arrivals_;
};

}  // namespace penstock::simulated
