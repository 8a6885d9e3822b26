// The jobs that were in flight when the process before this one died, as far as nobody is known to
// have read of it yet. Their deaths are told by records (docs/decisions/crash-notices.md); until
// its partition has read the one about it, such a job must not start here: what kills its process
// would do so again and again before anybody had counted.
//
// What always holds: a job is awaited only while its notice may be in the log and lies behind what
// has been read. Thread-safe: one a process, asked by all of its loops.
#pragma once

#include <atomic>
#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

struct InFlight {
  std::string queue;
  std::string account;
  std::string id;
  friend auto operator<=>(const InFlight&, const InFlight&) = default;
};

class CrashNotices {
 public:
  // A notice of this job is about to be appended.
  void sent(const InFlight& job);
  // It lies there; or it is not in the log, or nobody knows where: then nobody waits for it.
  void appended(const InFlight& job, std::optional<Offset> at);
  // Whether the job's partition is still to read of its death. Its input has been read up to
  // `input_next`, and up to `counted` in commits that count: what lies behind that is read again
  // when the owner loses them.
  [[nodiscard]] bool awaited(std::string_view queue, std::string_view account, std::string_view id,
                             Offset input_next, Offset counted);

 private:
  std::mutex mutex_;
  std::map<InFlight, std::optional<Offset>> notices_;
  std::atomic<bool> any_{false};  // nearly always not: an attempt's start then takes no lock
};

}  // namespace penstock
