// The last tenure of each partition, kept in the state directory for a process that comes back in
// place after a crash. Its claim behind a tenure of its predecessor need not wait for the
// predecessor's lease, because the state directory's lock (StateLock) proves that nothing of the
// predecessor runs any more.
//
// What always holds:
//  - The file is read and written only by a process that has the lock. So every tenure in it is of
//    a process that had the lock, with everything that it had started.
//  - A file of another boot, of another lock file (a copied directory) or of another format says
//    nothing and is replaced; so is a slot that was torn while it was written.
//  - An outdated tenure does no harm: if another worker has claimed the partition since, the claim
//    replaces another epoch, and waits as usual (state/owner/predecessor.h).
//  - What this process has kept itself is never given out to it.
//
//   file   := header slot*
//   header := magic:8 boot:text(112) device:u64 inode:u64 check:u64      of the lock file
//   slot   := topic:text(256) partition:i64 epoch:i64 waited_until:i64 since:i64
//             log:u64 u64 check:u64
//   text   := bytes, padded with zeros
//   check  := XXH3 of what precedes it; that of a slot is combined with the header's
//
// The file is only for the same machine and boot, so it is never synced and has the machine's byte
// order. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "consumer/handlers/io/fd.h"
#include "consumer/worker/in_place/state_lock.h"
#include "state/owner/predecessor.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

class KeptTenures {
 public:
  // Further partitions are not kept.
  static constexpr std::size_t kMaxPartitions = 16'384;

  // What a dead process had started is killed at once by its guardians. Shorter than the lease, so
  // that waiting costs nothing: the wait for the lease goes on meanwhile.
  static constexpr std::chrono::seconds kPatience{3};

  // Opens the lock of a state directory without taking it. `boot`: read_boot().
  [[nodiscard]] static Result<std::unique_ptr<KeptTenures>> open(const std::string& directory,
                                                                 std::string boot);

  // Takes the lock if it is free, and reads what the previous process has left. True once this
  // process has the lock. Does not wait; may be called again and again.
  [[nodiscard]] bool take();
  // Tries until it has the lock, or kPatience has passed, or `wait`, which waits for a moment,
  // returns false. `say` is told if it goes on without the lock. To be called before anything is
  // claimed, because a claim either replaces what was left or waits for its lease.
  using Sink = std::function<void(std::string_view level, const std::string& text)>;
  void take_patiently(const std::function<bool()>& wait, const Sink& say);
  // A descriptor that everything which this process starts must hold open.
  [[nodiscard]] int lock_file() const { return lock_.file(); }

  // What the previous process has left; empty if it has left nothing, or if the lock is not taken.
  [[nodiscard]] LastTenure left(std::string_view topic, PartitionId partition) const;
  // Kept for the next process from now on, or from when the lock is taken.
  void keep(std::string_view topic, PartitionId partition, const LastTenure& tenure);

 private:
  using Place = std::pair<std::string, PartitionId>;
  KeptTenures(StateLock lock, std::string directory, std::string boot)
      : lock_(std::move(lock)), directory_(std::move(directory)), boot_(std::move(boot)) {}

  void open_file();
  void read_slots(std::string_view bytes);
  void write(const Place& place, const LastTenure& tenure);

  StateLock lock_;
  const std::string directory_, boot_;
  mutable std::mutex mutex_;  // of the following, and of taking the lock
  Fd file_;                   // once the lock is taken
  std::uint64_t check_ = 0;   // the header's
  std::map<Place, std::size_t> slots_;
  std::map<Place, LastTenure> left_, own_;
};

}  // namespace penstock
