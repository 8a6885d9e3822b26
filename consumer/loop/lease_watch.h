// Which attempts run under which lease, so that they end with it even when the loop that owns them
// is stuck or the process was stopped for a while. The loop checks first thing in every turn, and
// so does a watchdog thread (consumer/worker/watchdog.h) that does nothing else.
//
// No attempt runs unwatched, however late it starts: once a check has found its lease to be over,
// it is not given to its executor; and one that is being given to it while a check looks is killed
// by that check, by each one after it, and once more when its executor has it.
//
// The code of an attempt that was killed may run on (Executor::still_runs). While it does, its
// account is held back, and when its lease is over the process must exit.
//
// Thread-safe. Instant attempts (no handler code) are never entered.
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
  // The lease under which a partition's attempts run now lasts until then. It covers those that
  // were killed and run on from the epoch `since` on: since then the partition has not been
  // another's.
  void renew(PartitionId partition, Instant until, Offset since);

  // The attempt is about to be given to its executor. False: its lease is over. It must not be
  // given to it, and is among those killed.
  [[nodiscard]] bool starting(const AttemptKey& key, std::string_view account, Executor* executor);
  // Its executor has it.
  void started(const AttemptKey& key);
  void ended(const AttemptKey& key);

  // Kills what runs past its lease. Whether the code of any such attempt still runs.
  bool check(Instant now);
  // Kills what a partition still runs, whatever its lease.
  void kill_all(PartitionId partition);
  // What was killed since the last call, by whichever thread: the loop takes note of it.
  std::vector<AttemptKey> take_killed();

  // Whether the code of an attempt that was killed still runs: of one of this account; of any.
  [[nodiscard]] bool holds_back(PartitionId partition, std::string_view account);
  [[nodiscard]] bool holds_back_any(PartitionId partition);

 private:
  struct Running {
    Executor* executor = nullptr;
    std::uint64_t account = 0;  // a hash of it: another account may be held back with it
    bool started = false;
    bool killed = false;
    Instant until{};  // once it is killed: of the lease that covers its code
  };
  using Attempts = std::map<AttemptKey, Running>;
  struct Tenure {
    Instant until{};
    Attempts running;
    Attempts lingering;  // killed, and their code ran on when that was last asked for
  };

  [[nodiscard]] static bool still_runs(const Attempts::value_type& attempt);
  void kill(Tenure& tenure);
  void linger(Tenure& tenure, Attempts::iterator at);
  void forget_ended(Tenure& tenure);

  std::mutex mutex_;
  std::map<PartitionId, Tenure> tenures_;
  std::vector<AttemptKey> killed_;
  Instant looked_at_{};                    // the latest check's time
  std::atomic<std::size_t> lingering_{0};  // of all partitions; is asked for at every start
};

}  // namespace penstock
