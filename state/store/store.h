// The rows of a partition, as written by counted commits. The worker uses RocksDB
// (state/store/rocks/rocks_store.h), the simulator and tests a sorted map
// (state/store/memory_store.h).
//
// A commit's rows and the position in the state log are written together or not at all, because
// they share one write batch and one column family. One thread at a time uses a store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topics/values/result.h"
#include "topics/values/topic_uuid.h"
#include "topics/values/types.h"

namespace penstock {

// How much of the state log a store contains, and what the next record must continue.
struct LogPosition {
  Offset at;     // the last honoured record that was applied
  Offset epoch;  // the epoch it belongs to; -1 if the log's start does not tell
  std::uint64_t seq = 0;
  std::uint64_t hash = 0;  // of that record
  bool released = false;   // the epoch ended with a release
  Offset root{0};          // the record with which the copy was begun, see Follower::whole()
  TopicUuid log = {};      // the state topic from which the copy was made
  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

class RowIterator {
 public:
  virtual ~RowIterator() = default;
  [[nodiscard]] virtual bool valid() const = 0;
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  virtual void next() = 0;
  // Moves to the first key that is not less than `key`.
  virtual void seek(std::string_view key) = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  [[nodiscard]] virtual bool get(std::string_view key, std::string* value) = 0;
  // The rows in [from, to), in order. With the end known, a store need not look for the next row
  // among the remains of rows that have been erased behind it.
  [[nodiscard]] virtual std::unique_ptr<RowIterator> scan(std::string_view from,
                                                          std::string_view to) = 0;

  [[nodiscard]] virtual std::optional<LogPosition> position() = 0;
  // Accepts a logged batch and the position that it leads to. Batches may be written later, in the
  // order of the calls, each as a whole or several as one. get() and scan() show the rows at the
  // latest when written() says so, and possibly earlier. A crash loses what is not written. An
  // error may be that of an earlier call.
  [[nodiscard]] virtual Status apply(std::string_view batch, const LogPosition& position) = 0;
  // How many calls of apply() there were, and how many of them have been written.
  [[nodiscard]] virtual std::uint64_t taken() const = 0;
  [[nodiscard]] virtual std::uint64_t written() const = 0;
  // Like apply(), for the many commits of a restore. Until settle(), they may collect in memory,
  // within the store's bound, where get(), scan() and position() do not show them. The rows of
  // several are then written as one, with the last one's position. A crash loses everything that
  // was collected.
  [[nodiscard]] virtual Status restore(std::string_view batch, const LogPosition& position) = 0;
  // Waits until everything passed to apply() and restore() has been written.
  [[nodiscard]] virtual Status settle() = 0;
  // Like settle(), but does not wait: another thread may do the writing, of what has been collected
  // so far. False: writing has not begun, because something else is being written.
  [[nodiscard]] virtual Result<bool> begin_settling() {
    Status status = settle();
    if (!status) return tl::unexpected(status.error());
    return true;
  }
  // Erases everything, because the contents are of no use.
  [[nodiscard]] virtual Status discard() = 0;
  // Begins with an empty store and sets the old contents aside, because the log may turn out to
  // have less. end_aside() later tells whether to keep them permanently. A store that cannot set
  // them aside erases them.
  [[nodiscard]] virtual Status set_aside() { return discard(); }
  [[nodiscard]] virtual Status end_aside(bool /*keep*/) { return {}; }
  // Where an earlier copy is kept permanently; empty if there is none.
  [[nodiscard]] virtual std::string kept_aside() { return {}; }
  // The approximate size of the live rows in bytes, which is what a trim would carry forward.
  [[nodiscard]] virtual std::uint64_t approximate_bytes() = 0;
};

[[nodiscard]] std::string encode_position(const LogPosition& position);
[[nodiscard]] std::optional<LogPosition> decode_position(std::string_view bytes);

}  // namespace penstock
