#include "consumer/loop/partitions/partitions.h"

#include <algorithm>
#include <utility>

namespace penstock {

HeldPartition* Partitions::find(PartitionId partition) {
  const auto found = held_.find(partition);
  return found == held_.end() ? nullptr : &found->second;
}

Tenure* Partitions::tenure(PartitionId partition) {
  const HeldPartition* const held = find(partition);
  return held ? held->tenure.get() : nullptr;
}

std::vector<PartitionId> Partitions::ids() const {
  std::vector<PartitionId> ids;
  for (const auto& [partition, held] : held_) ids.push_back(partition);
  return ids;
}

bool Partitions::all_run() const {
  // A loop without partitions works too, but not before the group has said so.
  return assigned_ && std::all_of(held_.begin(), held_.end(), [](const auto& entry) {
           const Tenure* const tenure = entry.second.tenure.get();
           return tenure && tenure->runs() && !tenure->restoring();
         });
}

bool Partitions::has_read_all() const {
  return std::none_of(held_.begin(), held_.end(), [](const auto& entry) {
    const HeldPartition& held = entry.second;
    return held.claims || (held.tenure && held.tenure->owner().reads());
  });
}

int Partitions::running() const {
  std::size_t running = 0;
  for (const auto& [partition, held] : held_) {
    if (held.tenure) running += held.tenure->attempts().running();
  }
  return static_cast<int>(running);
}

// -- The group

// The counts were equal at the start, so the topic has changed since.
std::string Partitions::grown(PartitionId partition) const {
  const std::string count = std::to_string(options_.queue.partitions);
  return "the queue \"" + options_.queue.name + "\" has " + count +
         " partitions, but its topic has a partition " + std::to_string(partition) +
         ": partitions were added while workers ran. Its accounts would change partitions, and "
         "their jobs run twice, out of order or not at all. A topic cannot lose partitions: create "
         "a new queue, and send the waiting jobs there";
}

void Partitions::on_assigned(std::span<const PartitionId> partitions, Now now) {
  assigned_ = true;
  for (const PartitionId partition : partitions) {
    if (partition >= options_.queue.partitions) return parts_.refuse(grown(partition), now);
    HeldPartition& held = held_[partition];
    held.revoked = held.unconfirmed = false;
    stay(held);
    // The group may assign again what this member has worked on throughout.
    held.claims = !held.tenure && !stopping();
  }
  release_unconfirmed(now);
}

// The group has assigned the partitions, and these are not ours.
void Partitions::release_unconfirmed(Now now) {
  for (auto& [partition, held] : held_) {
    if (std::exchange(held.unconfirmed, false)) yield(held, now);
  }
}

void Partitions::leave(HeldPartition& held, Now now) {
  held.revoked = true;
  if (held.tenure) held.tenure->leave(now.boot + options_.grace);
}

// What does not run has nothing to work on, and is left at once.
void Partitions::yield(HeldPartition& held, Now now) {
  if (stopping() || !held.tenure || !held.tenure->runs() || held.tenure->leaving())
    return leave(held, now);
  held.yields_until = now.boot + kYieldsAtMost;
  held.tenure->commits().expect_request(true);
}

void Partitions::stay(HeldPartition& held) {
  if (!std::exchange(held.yields_until, std::nullopt)) return;
  if (held.tenure) held.tenure->commits().expect_request(false);
}

// Also if the group has not taken it back yet: whoever asks has it from the group.
void Partitions::leave_if_asked(PartitionId partition, HeldPartition& held, Now now) {
  if (!held.tenure || held.tenure->leaving() || !held.tenure->runs()) return;
  if (held.yields_until && now.boot >= *held.yields_until) return leave(held, now);
  if (!held.tenure->owner().is_asked_for() && !parts_.host.is_store_wanted(partition)) return;
  if (held.yields_until) return leave(held, now);
  held.tenure->leave(now.boot + options_.grace);
}

void Partitions::on_revoked(std::span<const PartitionId> partitions, Now now) {
  for (const PartitionId partition : partitions) {
    if (HeldPartition* const held = find(partition)) yield(*held, now);
    // At once, so that the next worker learns of it and reads the state while this one works on.
    parts_.session.finish_revoke(partition);
  }
}

// After an absence longer than their session, the members of a group are unknown to it, and it
// waits for one of their sessions before it assigns the partitions to anybody. Meanwhile the log
// shows whether another worker has claimed the partition; until one has, this worker continues
// (docs/decisions/working-through-a-lost-session.md).
void Partitions::on_lost(std::span<const PartitionId> partitions, Now now) {
  for (const PartitionId partition : partitions) {
    const auto found = held_.find(partition);
    if (found == held_.end()) continue;
    HeldPartition& held = found->second;
    if (held.tenure) {
      held.tenure->lose("the group has dropped this worker");
      end(partition, held, now);
    }
    if (held.revoked || stopping()) {
      // Without finish_revoke(): the group does not expect an answer from a member that it has
      // dropped.
      held_.erase(found);
      continue;
    }
    held.unconfirmed = true;
    held.asking = held.claims = false;
  }
}

void Partitions::on_membership(PartitionId partition, bool is_member, Now now) {
  HeldPartition* const held = find(partition);
  if (!held) return;
  held->asking = false;
  // The answer is outdated: the partition was claimed or revoked, or the loop is stopping.
  if (held->tenure || held->revoked || stopping()) return;
  held->claims = is_member;
  if (!is_member) held->reclaim.denied(now.boot);
}

void Partitions::on_connected(Now now) {
  for (auto& [partition, held] : held_) {
    if (!held.tenure) held.reclaim.begin_anew(now.boot);
  }
}

// -- Claim and end

bool Partitions::claim_one(Now now) {
  for (auto& [partition, held] : held_) {
    if (!std::exchange(held.claims, false)) continue;
    // The claim was noted in an earlier pass, and the partition may have been revoked since.
    if (held.tenure || held.revoked || stopping()) continue;
    return claim(partition, held, now);
  }
  return false;
}

bool Partitions::claim(PartitionId partition, HeldPartition& held, Now now) {
  held.reclaim.claimed(now.boot);
  auto store = store_of(partition);
  if (!store) {
    parts_.host.broken(store.error().message);
    return false;
  }
  if (!*store) {
    held.reclaim.waits(now.boot + kStoreAgainAfter);
    return false;
  }
  held.tenure = std::make_unique<Tenure>(next_tenure(partition, held), std::move(*store), parts_);
  held.tenure->commits().expect_request(held.yields_until.has_value());
  held.tenure->start();
  return true;
}

Result<std::unique_ptr<Store>> Partitions::store_of(PartitionId partition) {
  if (auto followed = standbys_.take(partition)) return followed;
  return parts_.host.open_store(partition);
}

void Partitions::stand_in(PartitionId partition) {
  if (stopping() || held_.contains(partition)) return;
  HeldPartition& held = held_[partition];
  held.yields_until = Instant::max();
  held.claims = true;
}

TenureOptions Partitions::next_tenure(PartitionId partition, const HeldPartition& held) {
  TenureOptions options;
  options.task = {options_.prefix,        options_.queue,    partition,
                  options_.instance,      options_.types,    options_.slots_partitions,
                  options_.max_live_jobs, options_.max_flows};
  options.task.bounds = options_.bounds;
  options.task.newest_format = options_.newest_format;
  options.task.budget = &budget_;
  options.queue_number = options_.queue_number;
  options.owns_slots = options_.owns_slots;
  options.tenure = next_tenure_++;
  // Consecutive, so that later claims of this loop recognise this one (see ClaimNonce).
  options.nonce = {options_.nonce, options_.nonce + options.tenure};
  options.lease = options_.lease;
  options.last = last_of(partition);
  options.claims = held.unconfirmed    ? Owner::Claims::kOwnLast
                   : held.yields_until ? Owner::Claims::kNobody
                                       : Owner::Claims::kAnyOwner;
  options.trim_bytes = options_.trim_bytes;
  options.ask_at_most = options_.grace + kYieldsAtMost;
  return options;
}

// Asked for once, because later the loop's own last tenure is what counts.
const LastTenure& Partitions::last_of(PartitionId partition) {
  const auto found = last_.find(partition);
  if (found != last_.end()) return found->second;
  return last_[partition] = parts_.host.left_tenure(partition);
}

void Partitions::reap(Now now) {
  for (auto at = held_.begin(); at != held_.end();) {
    const PartitionId partition = at->first;
    HeldPartition& held = at->second;
    if (held.tenure && held.tenure->ended()) end(partition, held, now);
    const bool is_over = held.revoked || (held.yields_until && !held.claims);
    if (!held.tenure && (is_over || stopping())) {
      at = held_.erase(at);
      continue;
    }
    leave_if_asked(partition, held, now);
    claim_again_if_due(partition, held, now);
    ++at;
  }
}

// A displaced owner asks the group before it claims again. If the group does not know the member,
// the log will tell whether another owner has claimed.
void Partitions::claim_again_if_due(PartitionId partition, HeldPartition& held, Now now) {
  if (held.tenure || held.claims || held.asking || !held.reclaim.is_due(now.boot)) return;
  if (held.unconfirmed) {
    held.claims = true;
  } else {
    held.asking = true;
    parts_.session.check_membership(partition);
  }
}

void Partitions::end(PartitionId partition, HeldPartition& held, Now now) {
  // During an outage, claim after claim ends: each reason is logged only once until the partition
  // has worked again.
  if (held.tenure->task()) held.told.clear();
  TenureEnd last = held.tenure->take_end();
  if (last.reason != Tenure::kReleased && std::exchange(held.told, last.reason) != last.reason) {
    parts_.host.notice(partition_name(options_.queue.name, partition) +
                       ": given up: " + last.reason);
  }
  // Another worker has claimed the partition, so the group has assigned it elsewhere.
  if (held.unconfirmed && last.reason == Owner::kTaken) held.revoked = true;
  past_ += last.counters;
  past_commits_ += last.commits;
  cut_off_ = cut_off_ || last.cut_off;
  last_[partition] = last.tenure;
  held.tenure.reset();
  held.deferred.clear();  // their attempts have ended with the tenure
  // After the tenure, whose view and owner refer to the store.
  parts_.host.close_store(partition, std::move(last.store));
  held.reclaim.given_up(last.reason, now.boot);
}

// -- Stop

void Partitions::stop(Instant until) {
  if (stopping()) return;
  stop_until_ = until;
  for (auto& [partition, held] : held_) {
    if (held.tenure) held.tenure->leave(until);
  }
}

}  // namespace penstock
