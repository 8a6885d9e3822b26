// Which jobs were in flight when a process died. Before an attempt reaches its handler, its job is
// noted in a memory-mapped file; one that only waits for a free handler cannot have killed anybody,
// and is not. The pages outlive the process (not the machine, where nothing could be blamed on a
// job). The next process on the same state directory finds what was left and reports it to the
// jobs' partitions, so that a job that kills its workers is found out whoever runs it next.
//
//   file  := magic:8 slot*
//   slot  := used:u8 queue:text(255) account:text(256) id:text(256)
//   text  := length:u8 bytes, padded
//
// Thread-safe. At most kSlots jobs are noted at once, each item of a batch one of them; more run
// unnoted.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "consumer/job/handler.h"
#include "consumer/loop/crash_notices.h"
#include "topics/values/result.h"

namespace penstock {

class Journal {
 public:
  static constexpr std::size_t kSlots = 8192;

  // Opens the journal of a state directory and clears it; `left` receives what it held.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const std::string& path,
                                                             std::vector<InFlight>* left);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // It may begin. For a batch once an item.
  void started(std::size_t loop, const AttemptKey& key, const InFlight& job);
  // It reaches its handler; not one that has ended meanwhile.
  void begun(std::size_t loop, const AttemptKey& key);
  // Takes the process's one place for a suspect, for this attempt and until it has ended. False: it
  // is taken.
  [[nodiscard]] bool hold_suspect(std::size_t loop, const AttemptKey& key);
  void ended(std::size_t loop, const AttemptKey& key);

 private:
  struct Slot;
  explicit Journal(Slot* slots) : slots_(slots) {}

  Slot* slots_;
  std::mutex mutex_;
  std::map<std::pair<std::size_t, AttemptKey>, std::vector<std::size_t>> used_;
  std::optional<std::pair<std::size_t, AttemptKey>> suspect_;
  std::vector<std::size_t> free_;
};

}  // namespace penstock
