// What one tenure reads for its replays: the partition's own past, or its dead records, through a
// second handle of the topic, at its own position and beside the input.
//
// What always holds:
//  - The position is the task's. What is read ahead of it is kept here, at most max_kept_bytes() and
//    one poll beyond, and forgotten when the position is elsewhere.
//  - It comes after everything else in a step, and only while the task has room.
// Belongs to the loop's thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/loop/tenure/tenure_core.h"

namespace penstock {

// What a program has answered, from its own thread to the loop's.
struct ProgramAnswers {
  struct Answer {
    Offset offset;
    Result<std::string> line;
  };
  std::mutex mutex;
  LogSession* wakes = nullptr;  // null: nobody waits any more
  std::vector<Answer> answers;
};

class TenureReplay {
 public:
  // Of one partition, and of all partitions of a queue together. To stop reading throws away what
  // the client has fetched (about 1 MiB) and waits for its thread, so it is to be rare.
  static constexpr std::size_t kMaxKeptBytes = 4 << 20, kMinKeptBytes = 256 << 10;
  static constexpr std::size_t kMaxKeptBytesOfQueue = 64 << 20;

  // Records that may be with the program of a replay at once.
  static constexpr std::size_t kMaxAsked = 256;

  explicit TenureReplay(TenureCore& core) : core_(core) {}
  ~TenureReplay() { forget_answers(); }
  TenureReplay(const TenureReplay&) = delete;
  TenureReplay& operator=(const TenureReplay&) = delete;

  // Reads and copies what it may.
  void step(Now now);
  // The tenure leaves or has ended.
  void stop();
  // Whether it has records that the task could take at once.
  [[nodiscard]] bool is_ready(Now now);

  [[nodiscard]] bool reads(TopicId topic) const { return from_ && from_->topic == topic; }
  void on_records(std::span<const LogRecord> records, Now now);
  void on_bounds(const Result<Bounds>& bounds, Now now);
  // All records below `end` have been passed on. A range may end with offsets that have none.
  void on_end(Offset end) { end_ = end; }
  // The source cannot be read: the replay pauses itself, and reads it again when it is resumed.
  void on_refused(std::string_view detail, Now now);
  // The records at the position were removed, or the topic is another one.
  void on_out_of_range();

 private:
  struct Kept {
    Offset offset;
    Time timestamp;
    std::optional<std::string> key, value;
    std::vector<Header> headers;
    // Where the records go through a program.
    bool is_asked = false, is_answered = false;
    std::optional<std::string> answer = {};
    [[nodiscard]] LogRecord view(std::vector<HeaderView>& views) const;
    [[nodiscard]] std::size_t bytes() const;
  };

  [[nodiscard]] std::size_t max_kept_bytes() const;
  // Whether the source has been read and taken to its end, which no record told.
  [[nodiscard]] bool is_at_end() const { return kept_.empty() && end_ >= to_; }
  void begin(const Copies::Source& source);
  void stop_reading();
  void forget();
  void keep(std::span<const LogRecord> records);
  void take_kept(Now now);
  void drop_first();
  // Of a replay whose records go through a program.
  void take_answered(const std::vector<std::string>& program);
  void ask(const std::vector<std::string>& program);
  void hear();
  void forget_answers();

  TenureCore& core_;
  std::string replay_;  // whose source is being read
  std::optional<TopicPartition> from_;
  Offset to_{0};
  Offset next_{0};  // behind what is kept
  Offset end_{0};   // see on_end()
  bool reading_ = false;
  bool asked_bounds_ = false;
  bool stopped_ = false;
  std::deque<Kept> kept_;
  std::size_t kept_bytes_ = 0;
  std::shared_ptr<ProgramAnswers> answers_;  // shared with calls that are on their way
};

}  // namespace penstock
