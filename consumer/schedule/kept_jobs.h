// The jobs that keep what their last attempt held (slots, a lock) until their next iteration.
//
// What always holds: such a job is in memory, in its line and before all others of it (they may
// need what it keeps), and waits for its account's turn alone: as soon as it has to wait for
// anything else, the scheduler takes from it what it keeps. So no job waits for ever for what
// another one keeps.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "consumer/schedule/gate.h"

namespace penstock {

// Places that attempts have held, each to be given back under the number of its attempt.
struct Holds {
  struct Held {
    Gate* gate = nullptr;
    std::uint64_t attempt = 0;
  };
  std::vector<Held> held;

  // Takes over what the job holds of limits, or of its unique key.
  void take_limits(LiveJob* job);
  void take_unique_gate(LiveJob* job);
};

class KeptJobs {
 public:
  // A job that keeps() is added, or goes.
  void add(LiveJob* job) { jobs_.emplace(key_of(job), job); }
  void remove(LiveJob* job) { jobs_.erase(key_of(job)); }

  // A batch keeps what it holds of limits with one of its jobs: `first`, the first one of its line,
  // takes it over from whichever of its batch has it.
  void give_to(LiveJob* first);

  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  [[nodiscard]] LiveJob* first() const { return jobs_.begin()->second; }
  // Those that keep a place of which there are fewer by now than are held.
  [[nodiscard]] std::vector<LiveJob*> exceeding() const;

 private:
  // The number of the attempt that has ended, and the job.
  using Key = std::pair<std::uint64_t, JobSeq>;
  [[nodiscard]] static Key key_of(const LiveJob* job) { return {job->token.number, job->row.seq}; }

  absl::btree_map<Key, LiveJob*> jobs_;
};

}  // namespace penstock
