// What one tenure reads for its replays: the partition's own past, or its dead records, through a
// second handle of the topic, at its own position and beside the input. Several replays take turns
// at reading; what was read for each is taken as its rate permits.
//
// What always holds:
//  - The position is the task's. What is read ahead of it is kept here (ReadAhead), at most
//    max_kept_bytes() and one poll beyond, and forgotten when its replay does not go on: it was
//    paused, has ended, or another one has its name.
//  - It comes after everything else in a step, and only while the task has room.
// Belongs to the loop's thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "consumer/loop/replay/read_ahead.h"
#include "consumer/loop/tenure/tenure_core.h"

namespace penstock {

class TenureReplay {
 public:
  // Of one partition, and of all partitions of a queue together. To stop reading throws away what
  // the client has fetched (about 1 MiB) and waits for its thread, so it is to be rare.
  static constexpr std::size_t kMaxKeptBytes = 4 << 20, kMinKeptBytes = 256 << 10;
  static constexpr std::size_t kMaxKeptBytesOfQueue = 64 << 20;
  // How long one replay reads before another one that has records to read gets its turn.
  static constexpr std::chrono::seconds kTurn{1};

  explicit TenureReplay(TenureCore& core) : core_(core) {}

  // Reads and copies what it may.
  void step(Now now);
  // The tenure leaves or has ended.
  void stop();
  // Whether it has records that the task could take at once.
  [[nodiscard]] bool is_ready(Now now);

  [[nodiscard]] bool reads(TopicId topic) const { return reading_ && from_.topic == topic; }
  void on_records(std::span<const LogRecord> records, Now now);
  void on_bounds(const Result<Bounds>& bounds, Now now);
  // All records below `end` have been passed on. A range may end with offsets that have none.
  void on_end(Offset end) { end_ = end; }
  // The source cannot be read: the replay pauses itself, and reads it again when it is resumed.
  // The records at the position were removed, or the topic is another one.
  void on_out_of_range();
  // The records cannot be read: its replay pauses itself.
  void on_refused(std::string_view detail);

 private:
  using Sources = std::vector<Copies::Source>;

  [[nodiscard]] std::size_t max_kept_bytes() const;
  void forget_over(const Sources& sources);
  [[nodiscard]] ReadAhead* find(const Copies::Reading& of) const;
  [[nodiscard]] ReadAhead& ahead_of(const Copies::Source& source);
  void take_kept(ReadAhead& ahead, const Copies::Source& source, Now now);
  void take_answered(ReadAhead& ahead, const Copies::Source& source);
  void read_next(const Sources& sources, Now now);
  void begin(ReadAhead& ahead, const Copies::Source& source, Now now);
  void stop_reading();

  TenureCore& core_;
  std::vector<std::unique_ptr<ReadAhead>> aheads_;
  // The one whose records are being read, or whose topic is asked for its bounds; null: none is.
  ReadAhead* reading_ = nullptr;
  Copies::Reading last_;   // the one that has read last
  TopicPartition from_;    // of that one
  Offset to_{0}, end_{0};  // of its range; see on_end()
  Instant turn_ends_{};
  bool asks_bounds_ = false;
  bool stopped_ = false;
};

}  // namespace penstock
