// The jobs that were in flight when the previous process crashed, as long as their crash notices
// may still be unread. A notice is a record in the log (docs/decisions/crash-notices.md). Until its
// partition has read the notice, the job must not start here: a poison pill would crash its process
// again and again before anything had counted it.
//
// What always holds: a job is awaited only while its notice may be in the log, after everything
// that has been read. Thread-safe: a process has one, which all of its loops use.
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
  // A notice for this job is about to be appended.
  void sent(const InFlight& job);
  // The notice is in the log at `at`. If `at` is empty, it is not there or its offset is unknown,
  // and the job is not awaited any more.
  void appended(const InFlight& job, std::optional<Offset> at);
  // Whether the job's partition has yet to read its notice. Its input has been read up to
  // `input_next`, and up to `counted` in commits that count; records after `counted` are read again
  // if the owner loses those commits.
  [[nodiscard]] bool awaited(std::string_view queue, std::string_view account, std::string_view id,
                             Offset input_next, Offset counted);

 private:
  std::mutex mutex_;
  std::map<InFlight, std::optional<Offset>> notices_;
  std::atomic<bool> any_{false};  // almost always false, so that starting an attempt takes no lock
};

}  // namespace penstock
