#include "consumer/unique/unique_gates.h"

#include <algorithm>

#include "consumer/job/admitted_record.h"
#include "consumer/policy/type_table.h"
#include "topics/values/check.h"

namespace penstock {

std::int64_t UniqueGate::room() const { return attempt_ == 0 ? 1 : 0; }

std::string UniqueGate::what() const {
  const std::string lock = "the lock of its unique key " + name;
  return attempt_ == 0 ? lock + ", which is promised to another"
                       : lock + ": \"" + job_ + "\" holds it while it runs";
}

Gate* UniqueGate::give_back(std::uint64_t attempt) {
  if (attempt_ == attempt) attempt_ = 0;
  // A gate with a name is in waited_at_, and only forget_idle() may forget it.
  if (!idle() || !name.empty()) return this;
  owner_.forget(this);
  return nullptr;
}

bool UniqueGates::is_exclusive(const UniquePolicy& policy) {
  return policy.scope == UniqueScope::kRunning || policy.scope == UniqueScope::kQueuedAndRunning ||
         policy.scope == UniqueScope::kUntilDone || policy.on_conflict == OnConflict::kKeepLatest;
}

Digest UniqueGates::key_of(const JobRecord& record, const UniquePolicy& policy) {
  keys_.of(queue_, record);
  return unique_digest(record.account, keys_.unique_key(policy));
}

Digest UniqueGates::key_of(const LiveJob* job) {
  return key_of(decode_admitted(decoder_, job->row), *job->type->policy.unique);
}

void UniqueGates::name(UniqueGate& gate, const LiveJob* job) {
  keys_.of(queue_, decode_admitted(decoder_, job->row));
  gate.name = keys_.unique_name(*job->type->policy.unique);
}

void UniqueGates::ensure_key(LiveJob* job) {
  if (job->row.unique != Digest{}) return;
  store_.forget_unsaved(job);
  job->row.unique = key_of(job);
  store_.mark_unsaved(job);
}

Gate* UniqueGates::closed(LiveJob* job, const Line& line) {
  if (!job->type->policy.unique) return nullptr;
  // Even if the type needs no gate: the job takes or releases the lock of its key when it starts.
  ensure_key(job);
  if (!is_exclusive(*job->type->policy.unique)) return nullptr;
  // It has kept the gate closed since its last iteration.
  if (job->unique_gate) return nullptr;
  const auto found = gates_.find(job->row.unique);
  if (found == gates_.end() || found->second->admits(line)) return nullptr;
  UniqueGate& gate = *found->second;
  // A name is made for the first job that waits: most gates are never waited at.
  if (gate.name.empty()) {
    name(gate, job);
    waited_at_.push_back(gate.key());
  }
  return &gate;
}

std::string_view UniqueGates::holder(const Digest& key) const {
  const auto found = gates_.find(key);
  return found == gates_.end() ? std::string_view() : found->second->holder();
}

bool UniqueGates::may_join(const JobBatch& batch, LiveJob* job) {
  const std::optional<UniquePolicy>& policy = job->type->policy.unique;
  if (!policy || !is_exclusive(*policy)) return true;
  ensure_key(job);
  // Its own gate, which it has kept closed, does not stop it.
  bool free = job->unique_gate || holder(job->row.unique).empty();
  batch.each([&](const LiveJob* other) { free = free && other->row.unique != job->row.unique; });
  return free;
}

void UniqueGates::started(LiveJob* job) {
  if (!job->type->policy.unique || !is_exclusive(*job->type->policy.unique)) return;
  job->batch ? job->batch->each([&](LiveJob* item) { close(item); }) : close(job);
}

void UniqueGates::close(LiveJob* job) {
  std::unique_ptr<UniqueGate>& gate = gates_[job->row.unique];
  if (!gate) gate = std::make_unique<UniqueGate>(*this, job->row.unique);
  // Also if the job has kept it closed: from now on this attempt must open it.
  gate->close(job->token.number, job->row.id);
  job->unique_gate = gate.get();
}

void UniqueGates::forget(UniqueGate* gate) { gates_.erase(gate->key()); }

void UniqueGates::forget_idle() {
  // A part of all, so that forgetting keeps pace with any number of them.
  const std::size_t count = std::max(kMinLookedAtPerStep, waited_at_.size() / 8);
  for (std::size_t left = std::min(waited_at_.size(), count); left > 0; --left) {
    const Digest key = waited_at_.front();
    waited_at_.pop_front();
    const auto found = gates_.find(key);
    PENSTOCK_CHECK(found != gates_.end(),
                   "a gate that somebody has waited at is forgotten here alone");
    found->second->idle() ? gates_.erase(found) : void(waited_at_.push_back(key));
  }
}

}  // namespace penstock
