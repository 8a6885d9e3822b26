// Knows which attempts run under which lease, so that they end with it even if the loop that owns
// them is stuck or the process was stopped for a while. The loop checks at the beginning of every
// pass, and so does a watchdog thread (consumer/worker/watchdog.h) that does nothing else.
//
// No attempt runs unwatched, no matter how late it starts. Once a check has found its lease to be
// over, it is not passed to its executor. An attempt that is being passed to its executor during a
// check is killed by that check, by every later one, and once more when its executor has it.
//
// The code of a killed attempt may continue to run (Executor::still_runs). While it does, no other
// attempt of its account starts, and when its lease ends, the process must exit.
//
// Thread-safe. Instant attempts (without handler code) are never entered.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"

namespace penstock {

class LeaseWatch {
 public:
  // From now on, the lease of the partition's attempts lasts until `until`. It also covers attempts
  // of the epochs since `since` that were killed and still run, because the partition has had no
  // other owner in between.
  void renew(PartitionId partition, Instant until, Offset since);

  // The attempt is about to be passed to its executor. Returns false if its lease is over: it must
  // not be passed, and counts as killed.
  [[nodiscard]] bool starting(const AttemptKey& key, std::string_view account, Executor* executor);
  // Its executor has it.
  void started(const AttemptKey& key);
  void ended(const AttemptKey& key);

  // Kills the attempts whose lease is over. Returns whether the code of any of them still runs.
  bool check(Instant now);
  // Kills all attempts of a partition, regardless of its lease.
  void kill_all(PartitionId partition);
  // The attempts that any thread has killed since the last call, for the loop to process.
  std::vector<AttemptKey> take_killed();

  // Whether the code of a killed attempt still runs, of this account or of any.
  [[nodiscard]] bool blocks(PartitionId partition, std::string_view account);
  [[nodiscard]] bool blocks_any(PartitionId partition);

 private:
  struct Running {
    Executor* executor = nullptr;
    std::uint64_t account = 0;  // a hash: an unrelated account can be blocked as well
    bool started = false;
    bool killed = false;
    Instant until{};  // once killed: the end of the lease that covers its code
  };
  using Attempts = std::map<AttemptKey, Running>;
  struct Tenure {
    Instant until{};
    Attempts running;
    Attempts lingering;  // killed, and still running when last checked
  };

  [[nodiscard]] static bool still_runs(const Attempts::value_type& attempt);
  void kill(Tenure& tenure);
  void linger(Tenure& tenure, Attempts::iterator at);
  void forget_ended(Tenure& tenure);

  std::mutex mutex_;
  std::map<PartitionId, Tenure> tenures_;
  std::vector<AttemptKey> killed_;
  Instant looked_at_{};                    // the time of the latest check
  std::atomic<std::size_t> lingering_{0};  // of all partitions; read at every start
};

}  // namespace penstock
