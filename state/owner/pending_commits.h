// The commits that an owner has appended and that do not count yet, in the order of their seqs, and
// the position in the log that the next one continues from.
//
// - Each record has a number, by which the log reports its outcome, and a seq; both ascend. Its
//   bytes name the hash of the record before, so the records can count only in this order.
// - Only the last record can still be waiting for room in the log's buffer.
// - A record that has been acknowledged with the next offset counts; with any other offset, or
//   none, the owner must first read what the log holds from there.
//
// A pure value, used on the thread of the partition's loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "topics/values/types.h"

namespace penstock {

// A record that has been appended, or waits for room in the log's buffer.
struct PendingRecord {
  std::uint64_t number = 0;  // 0 is the claim
  std::uint64_t seq = 0;
  std::string record;
  bool release = false;
  Instant sent{};      // until it has been taken: since when it waits
  bool taken = false;  // accepted by the log's buffer
  bool acknowledged = false;
  std::optional<Offset> offset;
};

class PendingCommits {
 public:
  static constexpr std::size_t kMaxInFlight = 5;

  // The next record continues from the claim at `epoch`.
  void restored(Offset epoch, std::uint64_t seq, std::uint64_t hash, Instant sent);

  void add(std::string record, bool release, Instant now);
  // The last record, if it still waits for room.
  [[nodiscard]] const PendingRecord* waiting() const {
    return waits_for_room() ? &pending_.back() : nullptr;
  }
  [[nodiscard]] bool waits_for_room() const { return !pending_.empty() && !pending_.back().taken; }
  void taken(Instant now);

  // The record that has been acknowledged; null if it counts already.
  [[nodiscard]] const PendingRecord* acknowledged(std::uint64_t number,
                                                  std::optional<Offset> offset);

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  [[nodiscard]] bool full() const { return pending_.size() >= kMaxInFlight; }
  [[nodiscard]] std::size_t size() const { return pending_.size(); }
  [[nodiscard]] const PendingRecord& operator[](std::size_t place) const { return pending_[place]; }
  [[nodiscard]] const PendingRecord& front() const { return pending_.front(); }
  // The first record counts: it is in the log at `at`.
  [[nodiscard]] PendingRecord count_front(Offset at);

  [[nodiscard]] std::uint64_t seq() const { return seq_; }    // of the last record
  [[nodiscard]] std::uint64_t hash() const { return hash_; }  // of the last record
  [[nodiscard]] Offset last_counted() const { return last_counted_; }
  [[nodiscard]] Instant last_sent() const { return last_sent_; }

 private:
  std::deque<PendingRecord> pending_;
  std::uint64_t number_ = 0;  // counts the appends
  std::uint64_t seq_ = 0;
  std::uint64_t hash_ = 0;
  Offset last_counted_{-1};
  Instant last_sent_{};
};

}  // namespace penstock
