// Writes counted commits to a store on a thread of its own, so that a loop does not wait for
// RocksDB. The commit is already in the log, and the view shows its rows until they are written
// (state/store/view.h).
//
// One thread serves all partitions of a database, through one Line each. A line's commits are
// written in order; those that are waiting together are written together. A line belongs to one
// thread; its sink is called on the writing thread. finish() may be called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "state/store/store.h"

namespace penstock {

struct CountedCommit {
  std::string rows;  // a logged batch
  LogPosition position;
};

// The destination of one partition's commits.
class CommitSink {
 public:
  virtual ~CommitSink() = default;
  // `commits` has at least one element, in order.
  [[nodiscard]] virtual Status write(std::span<const CountedCommit> commits) = 0;
};

class WriteBehind {
 public:
  static constexpr std::size_t kMaxWaiting = 8;  // commits per line

  class Line {
   public:
    Line(WriteBehind& behind, CommitSink& sink) : behind_(behind), sink_(sink) {}
    ~Line() { finish(); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    // Blocks while kMaxWaiting commits are waiting. An error may be that of an earlier commit, and
    // it is permanent: nothing is written after a gap.
    [[nodiscard]] Status add(std::string_view rows, const LogPosition& position);
    // Waits until everything has been written.
    Status finish();
    [[nodiscard]] std::uint64_t taken() const { return taken_; }
    [[nodiscard]] std::uint64_t written() const { return written_.load(std::memory_order_acquire); }

   private:
    friend class WriteBehind;
    WriteBehind& behind_;
    CommitSink& sink_;
    std::uint64_t taken_ = 0;
    std::atomic<std::uint64_t> written_ = 0;
    // Under behind_.mutex_.
    std::vector<CountedCommit> waiting_;
    Status outcome_;
  };

  WriteBehind();
  ~WriteBehind();  // after its lines
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  // Waits until no line has anything left to write. May be called from any thread.
  void finish();

 private:
  void run();
  void write(Line& line, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wanted_;   // a commit is waiting, or the end has come
  std::condition_variable written_;  // a line has been written
  // Lines with waiting commits; each at most once, and not while it is being written.
  std::deque<Line*> ready_;
  const Line* writing_ = nullptr;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace penstock
