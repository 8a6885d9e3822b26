// Which attempts run under which lease, so that they end with it even when the loop that owns them
// is stuck or the process was stopped for a while. The loop checks first thing in every turn, and
// so does a watchdog thread (consumer/watchdog) that does nothing else.
//
// Thread-safe. Instant attempts (no handler code) are never entered.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "consumer/handler.h"

namespace penstock {

class LeaseWatch {
 public:
  struct Running {
    AttemptKey key;
    Executor* executor;
    friend bool operator<(const Running& a, const Running& b) { return a.key < b.key; }
  };

  // The lease under which a partition's attempts run now lasts until then.
  void renew(PartitionId partition, Instant until);
  void started(const AttemptKey& key, Executor* executor);
  void ended(const AttemptKey& key, Executor* executor);

  // Kills what runs past its lease; whether there was any.
  bool check(Instant now);
  // Kills what a partition still runs, whatever its lease.
  void kill_all(PartitionId partition);
  // What was killed since the last call, by whichever thread: the loop takes note of it.
  std::vector<AttemptKey> take_killed();

 private:
  struct Tenure {
    Instant until{};
    std::set<Running> running;
  };

  void kill(Tenure& tenure);

  std::mutex mutex_;
  std::map<PartitionId, Tenure> tenures_;
  std::vector<AttemptKey> killed_;
};

}  // namespace penstock
