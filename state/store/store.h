// Where a partition's rows lie: what counted commits have written, and nothing else. RocksDB in the
// worker (state/rocks_store), a sorted map in the simulator and in tests (state/memory_store).
//
// A commit's rows and the position in the state log are written together or not at all: they share
// one write batch and one column family. One thread uses a store at a time.
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

// How much of the state log a store holds, and what the next record must chain on to.
struct LogPosition {
  Offset at;     // the last honoured record that was applied
  Offset epoch;  // the claim that it belongs to; -1 where the log's start does not tell
  std::uint64_t seq = 0;
  std::uint64_t hash = 0;  // of that record
  bool released = false;   // the epoch ended with a release
  Offset root{0};          // the record that the copy was begun with: see Follower::whole
  TopicUuid log = {};      // the state topic that the copy is of
  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

class RowIterator {
 public:
  virtual ~RowIterator() = default;
  [[nodiscard]] virtual bool valid() const = 0;
  [[nodiscard]] virtual std::string_view key() const = 0;
  [[nodiscard]] virtual std::string_view value() const = 0;
  virtual void next() = 0;
  // To the first key that is not less than this one.
  virtual void seek(std::string_view key) = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  [[nodiscard]] virtual bool get(std::string_view key, std::string* value) = 0;
  // From the first key that is not less than `from`.
  [[nodiscard]] virtual std::unique_ptr<RowIterator> scan(std::string_view from) = 0;

  [[nodiscard]] virtual std::optional<LogPosition> position() = 0;
  // Takes a logged batch and the position it leads to. They may be written later, in the order of
  // the calls and each as a whole or several as one: get() and scan() see the rows from when
  // written() tells so, and may see them before. A crash loses what is not written. An error may be
  // that of an earlier call.
  [[nodiscard]] virtual Status apply(std::string_view batch, const LogPosition& position) = 0;
  // The calls of apply() so far, and how many of them have been written.
  [[nodiscard]] virtual std::uint64_t taken() const = 0;
  [[nodiscard]] virtual std::uint64_t written() const = 0;
  // Like apply(), for the many commits of a log that is being restored: until settle() they may
  // gather in memory, bounded by the store, where get(), scan() and position() do not see them; the
  // rows of several are then written as one, with the last one's position. A crash loses what has
  // gathered as a whole.
  [[nodiscard]] virtual Status restore(std::string_view batch, const LogPosition& position) = 0;
  // Waits until everything that apply() and restore() were given is written.
  [[nodiscard]] virtual Status settle() = 0;
  // Forgets everything: what lies here is nothing that could be of use.
  [[nodiscard]] virtual Status discard() = 0;
  // Begins anew, and keeps what it held beside: the log may turn out to have less. Until
  // end_aside() says whether it is kept for good or was of no use. A store that has no place for it
  // forgets it.
  [[nodiscard]] virtual Status set_aside() { return discard(); }
  [[nodiscard]] virtual Status end_aside(bool /*keep*/) { return {}; }
  // Where an earlier copy was kept for good; empty: nowhere.
  [[nodiscard]] virtual std::string kept_aside() { return {}; }
  // Roughly what the live rows take, in bytes: what a trim would carry forward.
  [[nodiscard]] virtual std::uint64_t approximate_bytes() = 0;
};

[[nodiscard]] std::string encode_position(const LogPosition& position);
[[nodiscard]] std::optional<LogPosition> decode_position(std::string_view bytes);

}  // namespace penstock
