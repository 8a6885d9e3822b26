// The tickets of a session's appends, and to which tenure each append belongs: an answer that
// arrives for a ticket is routed by them. Every ticket is given out once.
//
// Belongs to one loop and its thread; pure.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>

#include "topics/log.h"

namespace penstock {

// An append of a tenure. `number` is the owner's or the outbox's, depending on the lane.
struct TenureAppend {
  PartitionId partition = 0;
  std::uint64_t tenure = 0;
  Lane lane = Lane::kState;
  std::uint64_t number = 0;
};

class Tickets {
 public:
  // A ticket for an append that belongs to no tenure.
  [[nodiscard]] Ticket next() { return next_++; }
  [[nodiscard]] Ticket next(const TenureAppend& append) {
    appends_.emplace(next_, append);
    return next_++;
  }
  // Nothing was appended under this ticket.
  void forget(Ticket ticket) { appends_.erase(ticket); }
  // Appends of this lane will not be answered any more.
  void forget_lane(Lane lane) {
    absl::erase_if(appends_, [lane](const auto& append) { return append.second.lane == lane; });
  }
  // The answer has arrived; nothing: the append belongs to no tenure.
  [[nodiscard]] std::optional<TenureAppend> take(Ticket ticket) {
    const auto found = appends_.find(ticket);
    if (found == appends_.end()) return std::nullopt;
    const TenureAppend append = found->second;
    appends_.erase(found);
    return append;
  }

 private:
  absl::flat_hash_map<Ticket, TenureAppend> appends_;
  Ticket next_ = 1;
};

}  // namespace penstock
