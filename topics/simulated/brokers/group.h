// A consumer group at its simulated coordinator: members known by their heartbeats, one assignment
// per partition, and cooperative moves. A partition goes to its new owner once the old one has
// given it back, has been silent for the session timeout, or has not finished its revocation in
// time.
//
// Each assignment has a number of its own, so that a late release of an earlier one has no effect.
// Belongs to the simulator's thread.
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
  std::uint64_t number;  // the member's count of heartbeats: older ones are ignored
  std::string instance;
  std::vector<std::pair<PartitionId, std::uint64_t>> released;  // with the assignment's number
  std::string client = {};
};

struct HeartbeatAnswer {
  bool fenced = false;  // another member has taken the instance id
  std::vector<Assignment> assignments;
};

class Group {
 public:
  Group(World& world, int partitions);

  // Empty if a later heartbeat has arrived before this one.
  std::optional<HeartbeatAnswer> heartbeat(const Heartbeat& heartbeat);
  void leave(MemberId member);
  [[nodiscard]] bool holds(MemberId member, PartitionId partition) const;
  void commit(MemberId member, PartitionId partition, Offset next);
  [[nodiscard]] std::optional<Offset> committed(PartitionId partition) const;
  void forget_offsets();
  [[nodiscard]] std::vector<GroupPeer> peers() const;

  // -- faults and tests
  [[nodiscard]] int partitions() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] std::optional<MemberId> owner(PartitionId partition) const;
  // Revokes the partition; false if it has no owner or is being revoked already.
  bool move(PartitionId partition);
  // Gives the partition to any member without asking; false if there is none.
  bool kick(PartitionId partition);

 private:
  struct Member {
    Instant seen;
    std::uint64_t heartbeat = 0;
    std::string instance, client;
  };
  struct Place {
    std::optional<MemberId> owner;
    std::uint64_t number = 0;
    std::optional<Instant> revoke_by;
    std::optional<Offset> committed;
  };

  void coordinate();  // repeats itself while there are members
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
