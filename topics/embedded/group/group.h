// A consumer group's state: which member has which partition of one topic, and which of them are
// being revoked. Pure: time is an argument, and there are no callbacks. A member learns what has
// changed by comparing take_up() with what it knew (membership.h).
//
// What always holds: a partition has at most one owner. Each hand-over has a new grant number, so
// that messages about an earlier one can be recognized. A partition that its owner has taken up
// moves only when the owner gives it back, leaves, or exceeds the session timeout.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topics/embedded/group/assignment.h"
#include "topics/values/types.h"

namespace penstock::embedded {

struct HeldPartition {
  PartitionId partition = 0;
  std::uint64_t grant = 0;
  bool revoked = false;  // the group wants it back
};

class Group {
 public:
  Group(int partitions, Duration session_timeout);

  // A member with the instance id of another member takes over that member's partitions, and the
  // other member is fenced.
  void join(MemberId member, const std::string& instance_id, Instant now);
  // Gives everything back at once.
  void leave(MemberId member, Instant now);
  // The member's session has ended without leaving. With an instance id, the member keeps its
  // partitions for the session timeout so that it can return to them; otherwise it leaves.
  void disappear(MemberId member, Instant now);
  void finish_revoke(MemberId member, PartitionId partition, std::uint64_t grant, Instant now);

  // Takes partitions from members whose timeout has passed.
  void expire(Instant now);
  // When expire() has something to do next.
  [[nodiscard]] std::optional<Instant> deadline() const;

  [[nodiscard]] bool holds(MemberId member, PartitionId partition, std::uint64_t grant) const;
  [[nodiscard]] bool fenced(MemberId member) const { return !members_.contains(member); }
  // What the member has. From now on these partitions count as taken up.
  std::vector<HeldPartition> take_up(MemberId member);

 private:
  struct Member {
    std::string instance_id;
    std::optional<Instant> absent_until;
  };
  struct Place {
    MemberId owner = kNobody;
    std::uint64_t grant = 0;
    bool taken_up = false;
    std::optional<Instant> revoked_until;  // present: must be given back by then
  };

  void release(MemberId member, bool only_revoked);
  void inherit(MemberId from, MemberId to);
  void rebalance(Instant now);
  void give(Place& place, MemberId to);

  const Duration session_timeout_;
  std::map<MemberId, Member> members_;
  std::vector<Place> places_;  // by partition
  std::uint64_t last_grant_ = 0;
};

}  // namespace penstock::embedded
