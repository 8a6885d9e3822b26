#include "topics/simulated/session/member.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock::simulated {
namespace {

constexpr Nanos kSoon = std::chrono::milliseconds(1);
constexpr Nanos kAsksAgain = std::chrono::seconds(1);

const Assignment* find(const HeartbeatAnswer& answer, PartitionId partition) {
  const auto found =
      std::find_if(answer.assignments.begin(), answer.assignments.end(),
                   [&](const Assignment& given) { return given.partition == partition; });
  return found == answer.assignments.end() ? nullptr : &*found;
}

}  // namespace

void Member::join(Group& group) {
  PENSTOCK_CHECK(!ever_joined_, "a session joins at most once");
  ever_joined_ = true;
  group_ = &group;
  beat();
}

void Member::leave() {
  if (!joined()) return;
  link_.to_coordinator(Care::kLossy,
                       [group = group_, member = link_.id()] { group->leave(member); });
  group_ = nullptr;
  held_.clear();
  released_.clear();
  asked_.clear();
  inbox_->forget_group();
}

void Member::finish_revoke(PartitionId partition) {
  const auto found = held_.find(partition);
  if (found == held_.end() || !found->second.revoking) return;  // lost in the meantime
  released_[partition] = found->second.number;
  held_.erase(found);
  // Without waiting for the next heartbeat, because the new owner is waiting.
  send();
}

void Member::commit(PartitionId partition, Offset next) {
  if (!joined()) return;
  link_.to_coordinator(Care::kLossy, [group = group_, member = link_.id(), partition, next] {
    group->commit(member, partition, next);
  });
}

void Member::check(PartitionId partition) {
  if (!joined())
    return link_.after(kSoon, [this, partition] {
      inbox_->put(MembershipKnown{partition, false});
    });
  const std::uint64_t question = ++questions_;
  asked_[question] = partition;
  ask(partition, question);
}

// Asks until there is an answer: guessing would be worse than waiting.
void Member::ask(PartitionId partition, std::uint64_t question) {
  if (!joined() || !asked_.contains(question)) return;
  link_.to_coordinator(Care::kLossy, [this, link = link_, group = group_, partition, question] {
    const bool held = group->holds(link.id(), partition);
    link.from_coordinator(Care::kLossy, [this, partition, question, held] {
      if (asked_.erase(question) != 0) inbox_->put(MembershipKnown{partition, held});
    });
  });
  link_.after(kAsksAgain, [this, partition, question] { ask(partition, question); });
}

void Member::ask_offset(PartitionId partition) {
  if (!joined())
    return link_.after(kSoon, [this, partition] {
      inbox_->put(GroupOffsetKnown{partition, failure("no group has been joined")});
    });
  const std::uint64_t question = ++questions_;
  asked_[question] = partition;
  ask_offset(partition, question);
}

void Member::ask_offset(PartitionId partition, std::uint64_t question) {
  if (!joined() || !asked_.contains(question)) return;
  link_.to_coordinator(Care::kLossy, [this, link = link_, group = group_, partition, question] {
    const auto offset = group->committed(partition);
    link.from_coordinator(Care::kLossy, [this, partition, question, offset] {
      if (asked_.erase(question) != 0) inbox_->put(GroupOffsetKnown{partition, offset});
    });
  });
  link_.after(kAsksAgain, [this, partition, question] { ask_offset(partition, question); });
}

// A question or an answer that is lost is not repeated: the answer would be outdated.
void Member::ask_peers() {
  if (!joined()) return;
  link_.to_coordinator(Care::kLossy, [this, link = link_, group = group_] {
    link.from_coordinator(Care::kLossy, [this, peers = group->peers()] {
      if (joined()) inbox_->put(GroupPeersKnown{peers});
    });
  });
}

void Member::beat() {
  if (!joined()) return;
  send();
  link_.after(link_.world().options().heartbeat, [this] { beat(); });
}

void Member::send() {
  const Heartbeat heartbeat{
      link_.id(), ++sent_, instance_, {released_.begin(), released_.end()}, client_};
  link_.to_coordinator(Care::kLossy, [this, link = link_, group = group_, heartbeat] {
    // requests on a broken connection do not revive a member
    if (!link.alive()) return;
    const auto answer = group->heartbeat(heartbeat);
    if (!answer) return;
    link.from_coordinator(Care::kLossy, [this, number = heartbeat.number, answer = *answer] {
      on_answer(number, answer);
    });
  });
}

void Member::on_answer(std::uint64_t number, const HeartbeatAnswer& answer) {
  // Answers can overtake each other, and an older one would undo a newer one.
  if (!joined() || number <= answered_) return;
  answered_ = number;
  if (answer.fenced) {
    take_back({});
    group_ = nullptr;
    return inbox_->put(FatalTrouble{"another member has taken the instance id " + instance_ +
                                    ": give every worker an id of its own"});
  }
  take_back(answer);
  take_over(answer);
}

void Member::take_back(const HeartbeatAnswer& answer) {
  std::vector<PartitionId> lost;
  for (auto it = held_.begin(); it != held_.end();) {
    const Assignment* const given = find(answer, it->first);
    if (given != nullptr && given->number == it->second.number) {
      ++it;
      continue;
    }
    lost.push_back(it->first);
    it = held_.erase(it);
  }
  std::erase_if(released_, [&](const auto& entry) {
    const Assignment* const given = find(answer, entry.first);
    return given == nullptr || given->number != entry.second;
  });
  if (lost.empty()) return;
  link_.world().faults().count(Fault::kLost);
  inbox_->put(GroupChanged{GroupChange::kLost, lost});
}

void Member::take_over(const HeartbeatAnswer& answer) {
  std::vector<PartitionId> assigned, revoked;
  for (const Assignment& given : answer.assignments) {
    const auto found = held_.find(given.partition);
    if (found != held_.end()) {
      if (given.revoking && !found->second.revoking) {
        found->second.revoking = true;
        revoked.push_back(given.partition);
      }
    } else if (!released_.contains(given.partition)) {
      if (given.revoking) {
        released_[given.partition] = given.number;  // revoked before this member knew of it
      } else {
        held_.emplace(given.partition, Held{given.number});
        assigned.push_back(given.partition);
      }
    }
  }
  if (!assigned.empty()) inbox_->put(GroupChanged{GroupChange::kAssigned, assigned});
  if (!revoked.empty()) inbox_->put(GroupChanged{GroupChange::kRevoked, revoked});
}

}  // namespace penstock::simulated
