// Where no two jobs of a unique key run at once: for each key of which one runs, a gate that the
// others wait at. In memory alone, as attempts are: after a take-over none of them runs.
//
// What always holds: a gate is kept closed by one attempt, named by its token's number; it is
// opened by that attempt alone, once. A gate is forgotten when nobody keeps it closed and nobody
// waits.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <deque>
#include <memory>
#include <string>

#include "consumer/job/job_keys.h"
#include "consumer/job/live_job.h"
#include "consumer/policy/policy.h"
#include "consumer/schedule/condition.h"
#include "consumer/store/job_store.h"
#include "consumer/unique/unique_locks.h"
#include "topics/record/job_decoder.h"

namespace penstock {

class UniqueGates;

class UniqueGate final : public Gate {
 public:
  UniqueGate(UniqueGates& owner, const Digest& key) : owner_(owner), key_(key) {}

  [[nodiscard]] std::int64_t room() const override;
  [[nodiscard]] std::string what() const override;

  void close(std::uint64_t attempt, std::string_view job) {
    attempt_ = attempt;
    job_ = job;
  }
  // Ends with it where nobody has ever waited here.
  Gate* give_back(std::uint64_t attempt) override;
  [[nodiscard]] bool idle() const { return attempt_ == 0 && unused() && timer.number == 0; }
  [[nodiscard]] const Digest& key() const { return key_; }
  [[nodiscard]] std::string_view holder() const {
    return attempt_ == 0 ? std::string_view() : job_;
  }

  std::string name;  // what the key is made of, for a person; there when somebody waits

 private:
  UniqueGates& owner_;
  Digest key_;
  std::uint64_t attempt_ = 0;  // that keeps it closed; 0: none
  std::string job_;            // its id
};

class UniqueGates final : public Condition {
 public:
  static constexpr std::size_t kMinLookedAtPerStep = 1000;  // or an eighth of them

  UniqueGates(std::string queue, JobStore& store) : queue_(std::move(queue)), store_(store) {}

  // Whether no two jobs of a key run at once under this policy.
  [[nodiscard]] static bool is_exclusive(const UniquePolicy& policy);

  // The digest of a job's unique key. `record` is its own, decoded.
  [[nodiscard]] Digest key_of(const JobRecord& record, const UniquePolicy& policy);
  // The same; decodes the record.
  [[nodiscard]] Digest key_of(const LiveJob* job);

  // Gives the job its key, though it may have been admitted when its type had no uniqueness.
  void ensure_key(LiveJob* job);

  // The gate is named.
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  // No other job of its key runs, in the batch neither.
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;
  // The attempt closes the gates of its jobs' keys.
  void started(LiveJob* job) override;
  // Forgets it, if nothing is left of it.
  void forget(UniqueGate* gate);
  // Forgets those at which a line has waited and none does, looking at the next of them: at so
  // many that it keeps pace however many come.
  void forget_idle();

  // The job that runs; empty: none.
  [[nodiscard]] std::string_view holder(const Digest& key) const;

  [[nodiscard]] std::size_t size() const { return gates_.size(); }

 private:
  void close(LiveJob* job);
  void name(UniqueGate& gate, const LiveJob* job);

  std::string queue_;
  JobStore& store_;
  JobDecoder decoder_;
  JobKeys keys_;
  absl::flat_hash_map<Digest, std::unique_ptr<UniqueGate>, DigestHash> gates_;
  std::deque<Digest> waited_at_;  // in the order in which they are looked at
};

}  // namespace penstock
