// The core: what one partition of a queue decides. A single-writer state machine without I/O,
// clock, threads or chance: records, outcomes and time come in with each call; rows go into the
// view, messages into the outbox, and attempts are started through the host. The simulator drives
// this very class.
//
//   admit -> Admission -> Placement -> Scheduler (or the JobStore, where it waits for its time)
//   start_ready -> Attempts -> TaskHost::start
//   attempt_ended -> Attempts -> Outcomes -> Placement or Endings
//   advance -> whatever is due;   save -> the rows of the commit
//
// What always holds:
//  - a job has one row and one identity row, or is in memory only until the next commit (save);
//  - a job that ends before its commit leaves only its identity (this is the fast path);
//  - the position in the input moves in the same commit as what was made of the records before it;
//  - an outcome that names no running attempt of this tenure changes nothing.
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer/task/admission.h"
#include "consumer/task/attempts.h"
#include "consumer/task/cancelled_copies.h"
#include "consumer/task/core/core.h"
#include "consumer/task/core/partition_task.h"
#include "consumer/task/query/job_walk.h"
#include "consumer/task/query/queries.h"
#include "consumer/task/restoration.h"
#include "state/log/outbox.h"
#include "state/store/view.h"

namespace penstock {

class Task final : public PartitionTask {
 public:
  static constexpr Duration kPruneEvery{1000};

  Task(TaskOptions options, View& view, Outbox& outbox, TaskHost& host);
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // Whether these rows belong to this queue and have a format that a worker which knows
  // `newest_format` can take over. If not, the error says what to do.
  [[nodiscard]] static Status check_state(View& view, const QueuePolicy& queue,
                                          std::uint32_t newest_format = kNewestFormat);

  void restored(std::uint32_t generation, Offset epoch, std::uint64_t seq, Now now) override;
  [[nodiscard]] bool restoring() const override { return core_.restoring; }
  void restore_some(Now now) override;
  void admit(std::span<const LogRecord> records, Now now) override;
  [[nodiscard]] bool wants_input() const override { return !restoring() && core_.has_room(); }
  [[nodiscard]] Offset input_next() const override { return core_.input_next; }
  void skip_to(Offset next) override;
  [[nodiscard]] Arrivals& arrivals() override { return admission_.arrivals(); }
  void set_control(const Control* control, Now now) override;
  // The replays of this partition, and what they read of their sources.
  [[nodiscard]] Copies& copies() { return copies_; }
  [[nodiscard]] Replays& replays() { return core_.replays; }
  // As admit(), of a replay's source: returns how many of the records it has taken.
  [[nodiscard]] std::size_t replay(const Copies::Reading& reading,
                                   std::span<const LogRecord> records, Now now);

  void attempt_ended(const Token& token, AttemptResult result, Now now);
  // A checkpoint, with the follow-up jobs that the handler has enqueued since the last one. If one
  // of them is refused, the attempt fails when it ends, and neither this cursor nor a later one is
  // saved.
  void checkpoint(const Token& token, std::string cursor, std::span<const FollowUp> enqueue = {}) {
    attempts_.checkpoint(token, std::move(cursor), enqueue);
  }
  // How far the attempt has come: part of the state of its job, or of the first job of its batch.
  void progress(const Token& token, std::int64_t n, std::int64_t total) {
    attempts_.progress(token, n, total);
  }

  // Time has passed: due jobs enter their lines, expired ones end, identities are forgotten.
  void advance(Now now) override;
  void exchange_slots(const SlotStanding& standing, Now now) override;
  // Starts up to `capacity` attempts and returns how many places are left (attempts that end at
  // once return theirs). Starts fewer if the commit has no room for what they may change or send
  // (wants_input), or if so many picks have started nothing that the rest must wait for the next
  // step.
  [[nodiscard]] int start_ready(int capacity, Now now);
  [[nodiscard]] bool has_ready() const { return !restoring() && !core_.scheduler.turns().empty(); }
  [[nodiscard]] std::optional<Time> next_time() override;

  void save(std::uint64_t seq) override;
  [[nodiscard]] bool dirty() const override;
  [[nodiscard]] std::size_t unsaved_bytes() const override { return core_.unsaved_bytes(); }

  [[nodiscard]] const Attempts& attempts() const { return attempts_; }
  void ask_all_to_stop() { attempts_.ask_all_to_stop(); }

  [[nodiscard]] bool shares_limits() { return core_.limits.shared().any(); }
  // Whether exchange_slots() has left reports for a later commit.
  [[nodiscard]] bool has_reports() const { return core_.limits.shared().held_up(); }

  [[nodiscard]] const TaskCounters& counters() const { return core_.counters; }
  [[nodiscard]] const Turns& fair() const { return core_.scheduler.turns(); }
  // Jobs with a row, and jobs in memory.
  [[nodiscard]] std::uint64_t jobs() const { return core_.store.identities().rows(); }
  [[nodiscard]] std::size_t live_jobs() { return core_.store.pool().in_use(); }

  // Since when a job could start that waits for a place or its account's turn, the longest; nothing
  // if there is none.
  [[nodiscard]] std::optional<Time> oldest_ready(Now now) {
    core_.now = now.wall;
    return queries_.oldest_ready().since();
  }

  [[nodiscard]] Queries& queries() { return queries_; }
  [[nodiscard]] JobWalk& job_walk() { return job_walk_; }
  // The ids of the jobs that hold the lock of a unique key, or keep other jobs of the key from
  // starting.
  [[nodiscard]] std::vector<std::string> lock_holders(const Digest& key, Now now) {
    return unique_.holders(key, now.wall);
  }

 private:
  void put_meta(std::string_view key, std::uint32_t value);
  void prune();

  Core core_;
  BatchCursor cursor_{core_};
  UniqueKeys unique_{core_};
  Endings endings_{core_, cursor_, unique_};
  Placement placement_{core_, endings_};
  Folding folding_{core_, {cursor_, unique_, endings_, placement_}};
  Outcomes outcomes_{core_, endings_, placement_, unique_};
  BatchOutcomes batch_outcomes_{core_, endings_, outcomes_};
  Attempts attempts_{core_, {cursor_, unique_, endings_, placement_, outcomes_, batch_outcomes_}};
  Commands commands_{core_, {cursor_, unique_, endings_, placement_, folding_}};
  SlotExchange slots_{core_};
  Copies copies_{core_, {folding_, placement_}};
  Admission admission_{core_, {folding_, placement_, commands_, slots_, copies_}};
  Queries queries_{core_};
  JobWalk job_walk_{core_, queries_};
  CancelledCopies cancelled_copies_{core_, {endings_, placement_, job_walk_}};
  std::optional<Restoration> restoration_;
  bool dirty_ = false;  // the input position or a meta row has moved
  Time next_prune_{};
  bool pruning_ = false;  // there was more to prune than one step does
};

}  // namespace penstock
