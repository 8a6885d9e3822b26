#include "topics/simulated/brokers/group.h"

#include <algorithm>
#include <iterator>

namespace penstock::simulated {
namespace {

constexpr Nanos kCoordinates = std::chrono::milliseconds(250);

}  // namespace

Group::Group(World& world, int partitions)
    : world_(&world), places_(static_cast<std::size_t>(partitions)) {}

std::optional<HeartbeatAnswer> Group::heartbeat(const Heartbeat& heartbeat) {
  if (std::find(fenced_.begin(), fenced_.end(), heartbeat.member) != fenced_.end())
    return HeartbeatAnswer{.fenced = true, .assignments = {}};
  enter(heartbeat);
  Member& member = members_.at(heartbeat.member);
  if (heartbeat.number <= member.heartbeat) return std::nullopt;
  member.heartbeat = heartbeat.number;
  member.seen = world_->now();
  for (const auto& [partition, number] : heartbeat.released) {
    Place& released = place(partition);
    if (released.owner == heartbeat.member && released.number == number)
      assign(released, std::nullopt);
  }
  hand_out();
  HeartbeatAnswer answer;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].owner != heartbeat.member) continue;
    answer.assignments.push_back(
        {static_cast<PartitionId>(i), places_[i].number, places_[i].revoke_by.has_value()});
  }
  return answer;
}

void Group::enter(const Heartbeat& heartbeat) {
  if (members_.contains(heartbeat.member)) return;
  Member entered{world_->now(), 0, heartbeat.instance, heartbeat.client};
  if (!heartbeat.instance.empty()) {
    const auto same = [&](const auto& entry) {
      return entry.second.instance == heartbeat.instance;
    };
    const auto former = std::find_if(members_.begin(), members_.end(), same);
    if (former != members_.end()) {
      fenced_.push_back(former->first);
      // A named member that comes back gets its partitions at once, without a rebalance.
      for (Place& held : places_)
        if (held.owner == former->first) assign(held, heartbeat.member);
      members_.erase(former);
    }
  }
  members_.emplace(heartbeat.member, std::move(entered));
  rebalance();
  if (!coordinating_) {
    coordinating_ = true;
    world_->timeline().after(kCoordinates, [this] { coordinate(); });
  }
}

void Group::leave(MemberId member) {
  if (members_.erase(member) == 0) return;
  fenced_.push_back(member);  // a heartbeat that is in flight must not bring it back
  for (Place& held : places_)
    if (held.owner == member) assign(held, std::nullopt);
  hand_out();
}

bool Group::holds(MemberId member, PartitionId partition) const {
  return place(partition).owner == member;
}

void Group::commit(MemberId member, PartitionId partition, Offset next) {
  if (holds(member, partition)) place(partition).committed = next;
}

void Group::forget_offsets() {
  for (Place& place : places_) place.committed.reset();
}

std::vector<GroupPeer> Group::peers() const {
  std::vector<GroupPeer> peers;
  for (const auto& [id, member] : members_) {
    GroupPeer& peer = peers.emplace_back(GroupPeer{member.client, {}});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].owner == id) peer.partitions.push_back(static_cast<PartitionId>(i));
    }
  }
  return peers;
}

std::optional<Offset> Group::committed(PartitionId partition) const {
  return place(partition).committed;
}

std::optional<MemberId> Group::owner(PartitionId partition) const { return place(partition).owner; }

void Group::coordinate() {
  expire();
  hand_out();
  rebalance();
  coordinating_ = !members_.empty();
  if (coordinating_) world_->timeline().after(kCoordinates, [this] { coordinate(); });
}

void Group::expire() {
  const Instant now = world_->now();
  for (auto it = members_.begin(); it != members_.end();) {
    if (now - it->second.seen < world_->options().session_timeout) {
      ++it;
      continue;
    }
    world_->faults().count(Fault::kSessionTimeout);
    for (Place& held : places_)
      if (held.owner == it->first) assign(held, std::nullopt);
    it = members_.erase(it);
  }
  for (Place& held : places_) {
    if (!held.owner || !held.revoke_by || *held.revoke_by > now) continue;
    world_->faults().count(Fault::kRevokeTimeout);
    assign(held, std::nullopt);
  }
}

std::map<MemberId, int> Group::loads() const {
  std::map<MemberId, int> loads;
  for (const auto& [id, member] : members_) loads.emplace(id, 0);
  for (const Place& held : places_)
    if (held.owner) ++loads[*held.owner];
  return loads;
}

// Gives unowned partitions to the members with the fewest; under faults, sometimes to any member.
void Group::hand_out() {
  if (members_.empty()) return;
  for (Place& free : places_) {
    if (free.owner) continue;
    const auto loads = this->loads();
    auto least = std::min_element(loads.begin(), loads.end(),
                                  [](const auto& a, const auto& b) { return a.second < b.second; });
    if (world_->faulty() && world_->random().chance(0.5))
      least = std::next(loads.begin(),
                        static_cast<std::ptrdiff_t>(world_->random().below(loads.size())));
    assign(free, least->first);
  }
}

// Revokes partitions, cooperatively, from members that will have at least two more than others once
// the partitions being moved have been handed out.
void Group::rebalance() {
  auto loads = this->loads();
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  for (const Place& held : places_)
    if (held.owner && held.revoke_by) --loads[*held.owner];
  for (const Place& held : places_)
    if (held.owner && held.revoke_by) ++std::min_element(loads.begin(), loads.end(), less)->second;
  while (!loads.empty()) {
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end(), less);
    if (most->second - least->second < 2) return;
    const auto movable =
        std::find_if(places_.begin(), places_.end(), [owner = most->first](const Place& held) {
          return held.owner == owner && !held.revoke_by;
        });
    if (movable == places_.end()) return;
    move(static_cast<PartitionId>(movable - places_.begin()));
    --most->second;
    ++least->second;
  }
}

void Group::assign(Place& place, std::optional<MemberId> member) {
  place.owner = member;
  place.revoke_by.reset();
  if (member) place.number = world_->unique();
}

bool Group::move(PartitionId partition) {
  Place& wanted = place(partition);
  if (!wanted.owner || wanted.revoke_by) return false;
  world_->faults().count(Fault::kRevoked);
  wanted.revoke_by = world_->now() + world_->options().revoke_timeout;
  return true;
}

bool Group::kick(PartitionId partition) {
  if (members_.empty()) return false;
  const auto chosen = static_cast<std::ptrdiff_t>(world_->random().below(members_.size()));
  assign(place(partition), std::next(members_.begin(), chosen)->first);
  return true;
}

}  // namespace penstock::simulated
