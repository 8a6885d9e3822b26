// A consumer group at its simulated coordinator: members by their heartbeats, one assignment a
// partition, and cooperative moves. The new owner gets a partition when the old one has given it
// back, has been silent for the session time-out, or has not finished in time. One thread.
//
// An assignment has a number of its own, so that a late release of an earlier one gives nothing
// back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

using MemberId = std::uint64_t;

struct Assignment {
  PartitionId partition;
  std::uint64_t number;
  bool revoking;
};

struct Heartbeat {
  MemberId member;
  std::uint64_t number;  // of the member's heartbeats: older ones are ignored
  std::string instance;
  std::vector<std::pair<PartitionId, std::uint64_t>> released;  // by assignment number
};

struct HeartbeatAnswer {
  bool fenced = false;  // another member has taken the instance id
  std::vector<Assignment> assignments;
};

class Group {
 public:
  Group(World& world, int partitions);

  // Absent for one that came after a later one.
  std::optional<HeartbeatAnswer> heartbeat(const Heartbeat& heartbeat);
  void leave(MemberId member);
  [[nodiscard]] bool holds(MemberId member, PartitionId partition) const;
  void commit(MemberId member, PartitionId partition, Offset next);
  [[nodiscard]] std::optional<Offset> committed(PartitionId partition) const;
  void forget_offsets();

  // -- faults and tests
  [[nodiscard]] int partitions() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] std::optional<MemberId> owner(PartitionId partition) const;
  // Wants it back; false when nobody has it or it is on its way already.
  bool move(PartitionId partition);
  // Gives it to any member without asking; false when there is none.
  bool kick(PartitionId partition);

 private:
  struct Member {
    Instant seen;
    std::uint64_t heartbeat = 0;
    std::string instance;
  };
  struct Place {
    std::optional<MemberId> owner;
    std::uint64_t number = 0;
    std::optional<Instant> revoke_by;
    std::optional<Offset> committed;
  };

  void coordinate();  // and again while there are members
  void expire();
  void rebalance();
  void hand_out();
  void enter(const Heartbeat& heartbeat);
  void assign(Place& place, std::optional<MemberId> member);
  [[nodiscard]] std::map<MemberId, int> loads() const;
  Place& place(PartitionId partition) { return places_[static_cast<std::size_t>(partition)]; }
  [[nodiscard]] const Place& place(PartitionId partition) const {
    return places_[static_cast<std::size_t>(partition)];
  }

  World* world_;
  std::vector<Place> places_;
  std::map<MemberId, Member> members_;
  std::vector<MemberId> fenced_;
  bool coordinating_ = false;
};

}  // namespace penstock::simulated
