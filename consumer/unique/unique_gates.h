// Where no two jobs of a unique key may run at once: for each key of which a job runs, a gate at
// which the others wait. In memory alone, as attempts are: after a take-over no attempt runs.
//
// What always holds: a gate is closed by one attempt, named by its token's number, and is opened
// once, by that attempt alone. A gate is forgotten when no attempt keeps it closed and no line
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
  [[nodiscard]] Blocker blocker() const override { return {Waits::kUnique, std::string(holder())}; }

  void close(std::uint64_t attempt, std::string_view job) {
    attempt_ = attempt;
    job_ = job;
  }
  // The gate ends with the attempt if no line has ever waited here.
  Gate* give_back(std::uint64_t attempt) override;
  [[nodiscard]] bool idle() const { return attempt_ == 0 && unused() && timer.number == 0; }
  [[nodiscard]] const Digest& key() const { return key_; }
  [[nodiscard]] std::string_view holder() const {
    return attempt_ == 0 ? std::string_view() : job_;
  }

  std::string name;  // what the key is made of, for users; set when a line waits

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

  // Gives the job its key, even if it was admitted before its type had uniqueness.
  void ensure_key(LiveJob* job);

  // The gate that is returned has a name.
  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;
  // Whether no other job of its key runs, nor is in the batch.
  [[nodiscard]] bool may_join(const JobBatch& batch, LiveJob* job) override;
  // The attempt closes the gates of its jobs' keys.
  void started(LiveJob* job) override;
  // Forgets the gate, of which nothing is left.
  void forget(UniqueGate* gate);
  // Forgets the gates at which lines have waited and none waits now. Looks at enough of them per
  // step to keep pace with any number.
  void forget_idle();

  // The id of the job of this key that runs; empty: none.
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
