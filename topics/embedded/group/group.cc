#include "topics/embedded/group/group.h"

#include <algorithm>

namespace penstock::embedded {

Group::Group(int partitions, Duration session_timeout)
    : session_timeout_(session_timeout), places_(static_cast<std::size_t>(partitions)) {}

void Group::join(MemberId member, const std::string& instance_id, Instant now) {
  const auto same = std::find_if(members_.begin(), members_.end(), [&](const auto& other) {
    return !instance_id.empty() && other.second.instance_id == instance_id;
  });
  if (same != members_.end()) {
    // Each partition gets a new grant, so messages of the former member about it do not count.
    inherit(same->first, member);
    members_.erase(same);
  }
  members_.emplace(member, Member{instance_id, std::nullopt});
  rebalance(now);
}

void Group::leave(MemberId member, Instant now) {
  members_.erase(member);
  release(member, false);
  rebalance(now);
}

void Group::disappear(MemberId member, Instant now) {
  const auto found = members_.find(member);
  if (found == members_.end()) return;
  if (found->second.instance_id.empty()) return leave(member, now);
  found->second.absent_until = now + session_timeout_;
  release(member, true);  // the member is no longer there to finish these
  rebalance(now);
}

void Group::finish_revoke(MemberId member, PartitionId partition, std::uint64_t grant,
                          Instant now) {
  if (!holds(member, partition, grant)) return;
  Place& place = places_[static_cast<std::size_t>(partition)];
  if (!place.revoked_until) return;
  give(place, kNobody);
  rebalance(now);
}

void Group::expire(Instant now) {
  for (Place& place : places_) {
    if (place.revoked_until && *place.revoked_until <= now) give(place, kNobody);
  }
  for (auto member = members_.begin(); member != members_.end();) {
    const bool gone = member->second.absent_until && *member->second.absent_until <= now;
    if (gone) release(member->first, false);
    member = gone ? members_.erase(member) : std::next(member);
  }
  rebalance(now);
}

std::optional<Instant> Group::deadline() const {
  std::optional<Instant> first;
  const auto consider = [&](const std::optional<Instant>& at) {
    if (at && (!first || *at < *first)) first = at;
  };
  for (const Place& place : places_) consider(place.revoked_until);
  for (const auto& [id, member] : members_) consider(member.absent_until);
  return first;
}

bool Group::holds(MemberId member, PartitionId partition, std::uint64_t grant) const {
  if (partition < 0 || static_cast<std::size_t>(partition) >= places_.size()) return false;
  const Place& place = places_[static_cast<std::size_t>(partition)];
  return place.owner == member && place.grant == grant;
}

std::vector<HeldPartition> Group::take_up(MemberId member) {
  std::vector<HeldPartition> held;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    Place& place = places_[p];
    if (place.owner != member) continue;
    place.taken_up = true;
    held.push_back({static_cast<PartitionId>(p), place.grant, place.revoked_until.has_value()});
  }
  return held;
}

void Group::release(MemberId member, bool only_revoked) {
  for (Place& place : places_) {
    if (place.owner == member && (!only_revoked || place.revoked_until)) give(place, kNobody);
  }
}

void Group::inherit(MemberId from, MemberId to) {
  for (Place& place : places_) {
    if (place.owner == from) give(place, to);
  }
}

void Group::rebalance(Instant now) {
  std::vector<MemberId> members;
  for (const auto& [id, member] : members_) members.push_back(id);
  std::vector<MemberId> owners;
  for (const Place& place : places_) {
    // A partition being revoked has no owner in the next assignment; its owner already knows.
    owners.push_back(place.revoked_until ? kNobody : place.owner);
  }
  const std::vector<MemberId> wanted = assign_fairly(members, owners);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    Place& place = places_[p];
    if (place.revoked_until || place.owner == wanted[p]) continue;
    // An owner that has not taken the partition up does not know of it yet, and one that is absent
    // could not give it back. In both cases it can move at once.
    const auto owner = members_.find(place.owner);
    const bool in_use = place.taken_up && owner != members_.end() && !owner->second.absent_until;
    if (in_use) {
      place.revoked_until = now + session_timeout_;
    } else {
      give(place, wanted[p]);
    }
  }
}

void Group::give(Place& place, MemberId to) { place = Place{to, ++last_grant_, false, {}}; }

}  // namespace penstock::embedded
