// Writes counted commits to a store's rows on a thread of its own, so that a loop does not wait for
// RocksDB: a commit is in the log by then, and until its rows are written the view has them
// (state/store/view.h).
//
// One thread serves all partitions of a database, each through a Line of its own. The commits of a
// line are written in their order, those that wait for the thread together. A line belongs to one
// thread; its sink is called on the writing one.
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

// Where the commits of one partition go.
class CommitSink {
 public:
  virtual ~CommitSink() = default;
  // One or more, in their order.
  [[nodiscard]] virtual Status write(std::span<const CountedCommit> commits) = 0;
};

class WriteBehind {
 public:
  static constexpr std::size_t kMaxWaiting = 8;  // commits of one line

  class Line {
   public:
    Line(WriteBehind& behind, CommitSink& sink) : behind_(behind), sink_(sink) {}
    ~Line() { finish(); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    // Waits while kMaxWaiting wait. An error is that of an earlier commit, and stays: nothing is
    // written behind a gap.
    [[nodiscard]] Status add(std::string_view rows, const LogPosition& position);
    // Waits until everything is written.
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

  // Waits until nothing waits in any line. From any thread.
  void finish();

 private:
  void run();
  void write(Line& line, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable wanted_;   // something waits, or the end has come
  std::condition_variable written_;  // of some line
  std::deque<Line*>
      ready_;  // with commits that wait; each at most once, and not while it is written
  const Line* writing_ = nullptr;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace penstock
