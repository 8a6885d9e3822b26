// The jobs that go on holding slots or a lock between two iterations.
//
// What always holds: such a job is in memory, in its line, and before all other jobs of the line
// (which may need what it holds), and it waits for its account's turn alone: as soon as it has to
// wait for anything else, the scheduler makes it release everything. So no job waits for ever for
// what another one holds.
//
// Used by the partition's one thread.
#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "consumer/schedule/gate.h"

namespace penstock {

// Slots that attempts have held, each to be released under the number of its attempt.
struct Holds {
  struct Held {
    Gate* gate = nullptr;
    std::uint64_t attempt = 0;
  };
  std::vector<Held> held;

  // Takes over the job's slots, or the gate of its unique key.
  void take_limits(LiveJob* job);
  void take_unique_gate(LiveJob* job);
};

class KeptJobs {
 public:
  // Adds or removes a job that keeps().
  void add(LiveJob* job) { jobs_.emplace(key_of(job), job); }
  void remove(LiveJob* job) { jobs_.erase(key_of(job)); }

  // One job of a batch has the slots for all of them: `first`, the first job of its line, takes
  // them over from the one that has them.
  void give_to(LiveJob* first);

  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  [[nodiscard]] LiveJob* first() const { return jobs_.begin()->second; }
  // Those that hold a slot of a limit of which more slots are held than there are now.
  [[nodiscard]] std::vector<LiveJob*> exceeding() const;

 private:
  // The number of the attempt that has ended, and the job.
  using Key = std::pair<std::uint64_t, JobSeq>;
  [[nodiscard]] static Key key_of(const LiveJob* job) { return {job->token.number, job->row.seq}; }

  absl::btree_map<Key, LiveJob*> jobs_;
};

}  // namespace penstock
