// A job that a task has in memory, at the head of its account's line or running. Jobs further back
// are rows only. LiveJobs are pooled, so that a quick job costs no allocation once the pool is
// warm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "consumer/job/handler.h"
#include "state/rows/digest.h"
#include "state/rows/job_row.h"

namespace penstock {

struct Flow;
class Gate;
struct Line;
struct LiveJobBlock;
struct Share;
struct TypeRuntime;

// The position in an account's line: by `order` (0; run_at where the queue is "ready", the priority
// where it is "fair"), then by its number in the order (consumer/job/line_order.h).
struct LinePlace {
  std::int64_t order = 0;
  JobSeq seq;  // the turn
  friend constexpr auto operator<=>(const LinePlace&, const LinePlace&) = default;
};

struct LiveJob;

// The jobs of one running attempt.
struct JobBatch {
  struct Item {
    LiveJob* job = nullptr;
    std::vector<LiveJob*> folded =
        {};  // under "set": jobs with equal arguments, for which it stands
  };
  std::vector<Item> items;  // at least one: the first is the attempt's own job
  JobSeq
      number;  // JobRow::batch of its jobs since the attempt has saved a cursor; none: it has not

  [[nodiscard]] std::size_t jobs() const;
  template <typename Function>
  void each(Function function) const {
    for (const Item& item : items) {
      function(item.job);
      for (LiveJob* const job : item.folded) function(job);
    }
  }
};

struct LiveJob {
  static constexpr std::uint32_t kNotUnsaved = 0xffffffff;

  JobRow row;
  Digest digest;
  LinePlace place;
  LinePlace turn;  // among its account's lines: its place, unless it goes first in its line for
                   // what it keeps
  Flow* flow = nullptr;
  Line* line = nullptr;    // null while it runs
  Share* share = nullptr;  // while it runs, where the queue is "fair"
  const TypeRuntime* type = nullptr;
  Time ready_since{};  // since when it could start but for its turn, as it last came into its line
  Token token;         // of the running attempt
  std::vector<std::string> limit_names;  // filled in, of its type's limits; empty: not yet
  std::vector<Gate*>
      holds;  // what the running attempt has of them, or keeps until the next iteration
  std::uint64_t held_as = 0;  // the attempt's number under which it has them
  std::unique_ptr<JobBatch>
      batch;                  // of the running attempt, if it is of several; with the first of them
  LiveJob* leader = nullptr;  // of the batch that it runs in, where that is another
  Gate* unique_gate =
      nullptr;          // which the running attempt keeps closed, where no two of a key run at once
  std::string row_key;  // where its row lies in the view, empty: no row yet
  bool identity_row = false;  // a row 'i' names it
  bool running = false;
  bool stop_asked = false;
  std::string refused;  // why a checkpoint of the running attempt was; empty: none was
  std::uint32_t unsaved_at = kNotUnsaved;  // index among the task's unsaved jobs
  std::size_t unsaved_bytes = 0;           // what it was counted with there
  LiveJob* previous = nullptr;             // in its flow's line, or among its running jobs
  LiveJob* next = nullptr;
  LiveJobBlock* block = nullptr;  // of its pool, from which it never moves

  // Whether a job that waits goes on holding something from its last iteration.
  [[nodiscard]] bool keeps() const { return !running && (!holds.empty() || unique_gate); }

  void reset();
};

// An intrusive list of jobs; a job is in at most one.
class LiveJobList {
 public:
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] LiveJob* first() const { return first_; }
  [[nodiscard]] LiveJob* last() const { return last_; }
  void insert_after(LiveJob* place, LiveJob* job);  // a null place: at the front
  void push_back(LiveJob* job) { insert_after(last_, job); }
  void remove(LiveJob* job);

 private:
  LiveJob* first_ = nullptr;
  LiveJob* last_ = nullptr;
  std::size_t size_ = 0;
};

struct LiveJobBlock {
  std::unique_ptr<LiveJob[]> jobs;
  LiveJob* free = nullptr;  // the first free one, which names the next
  std::size_t in_use = 0;
  std::list<LiveJobBlock>::iterator at{};  // this block
};

// Jobs for reuse, in blocks. A block of which no job is in use is kept only while there are few
// such, so the pool does not stay as large as its peak.
class LiveJobPool {
 public:
  LiveJobPool() = default;
  LiveJobPool(const LiveJobPool&) = delete;
  LiveJobPool& operator=(const LiveJobPool&) = delete;

  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kMaxUnusedBlocks = 64;
  static constexpr std::size_t kMaxKeptTextBytes = 4096;  // a free job keeps no larger buffer

  [[nodiscard]] LiveJob* take();
  void give_back(LiveJob* job);
  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  [[nodiscard]] std::size_t blocks() const { return open_.size() + full_.size(); }

 private:
  std::list<LiveJobBlock> open_;  // with a free job; those of which no job is in use come last
  std::list<LiveJobBlock> full_;
  std::size_t unused_ = 0;  // blocks of which no job is in use
  std::size_t in_use_ = 0;
};

}  // namespace penstock
