// Which jobs were in flight when a process crashed. Before an attempt is passed to its handler, its
// job is noted in a memory-mapped file. (An attempt that only waits for a free handler cannot have
// crashed the process, so it is not noted.) The pages outlive the process, though not the machine;
// but no job can be blamed for a machine's crash. The next process with the same state directory
// finds what was left and reports it to the jobs' partitions, so that a poison pill is recognized
// whichever worker runs it next.
//
//   file  := magic:8 slot*
//   slot  := used:u8 queue:text(255) account:text(256) id:text(256)
//   text  := length:u8 bytes, padded
//
// Thread-safe. At most kSlots jobs are noted at a time, where each item of a batch counts as one;
// further jobs run without being noted.
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

  // Opens and clears the journal of a state directory; `left` receives its contents.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> open(const std::string& path,
                                                             std::vector<InFlight>* left);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // The attempt may begin. For a batch, to be called once per item.
  void started(std::size_t loop, const AttemptKey& key, const InFlight& job);
  // The attempt is being passed to its handler; does nothing if it has ended in the meantime.
  void begun(std::size_t loop, const AttemptKey& key);
  // Reserves the process's only place for a suspect (a job that was in flight in a crash) until the
  // attempt has ended. False: another suspect has the place.
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
