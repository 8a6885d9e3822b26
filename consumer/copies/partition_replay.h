// One replay in one partition: how far it has read, what it has counted, which ids it has seen, and
// whether it may go on.
//
// What always holds: the position, the counts and the ids are in the rows of the same commit as the
// copies that they tell of. So no record is copied twice and none is left out, whoever owns the
// partition.
//
// Used by the partition's one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "consumer/copies/copied_ids.h"
#include "consumer/copies/copy_types.h"
#include "consumer/copies/replay_gate.h"
#include "consumer/copies/replay_pace.h"
#include "consumer/replay/replay_filter.h"
#include "consumer/replay/replay_row.h"
#include "state/store/view.h"

namespace penstock {

class PartitionReplay {
 public:
  // Copies that wait in a partition: more are not made until some of them have run.
  static constexpr std::int64_t kMaxWaiting = 100'000;
  // How many have to have ended before a part of them is too many (--max-dead).
  static constexpr std::int64_t kMinEnded = 10;
  // How often a partition reports its counts, where there are at most so many of them; with more,
  // each reports less often.
  static constexpr Duration kReportEvery{1000};
  static constexpr std::int64_t kReportingPartitions = 12;

  PartitionReplay(std::string name, const std::string& queue, PartitionId partition)
      : name_(std::move(name)),
        id_prefix_(copy_id_prefix(name_)),
        partition_(partition),
        gate_(name_),
        ids_(name_),
        types_("replay/" + queue + "/" + name_) {}

  // Its row, as it is in the log.
  void restored(const ReplayRow& row);

  // What is in force. `source`: the name of the topic that it reads.
  void set(const ReplayRecord& record, const std::string& source);
  // It is not known. `deleted`: there is none of its name any more.
  void forget_record(bool deleted);
  [[nodiscard]] const ReplayTerms& terms() const { return record_->terms; }
  [[nodiscard]] ReplayFilter& filter() { return *filter_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether this is the id of one of its copies.
  [[nodiscard]] bool has_copy(std::string_view id) const { return id.starts_with(id_prefix_); }
  [[nodiscard]] const ReplayRow& row() const { return row_; }
  [[nodiscard]] Offset end() const { return range_.to; }
  [[nodiscard]] ReplayGate& gate() { return gate_; }
  [[nodiscard]] CopiedIds& ids() { return ids_; }
  [[nodiscard]] std::int64_t waiting() const { return row_.counts.live() - running_; }

  // -- Reading

  // Whether it has records to read, and nothing has stopped it.
  [[nodiscard]] bool goes_on() const;
  // Whether it may also make copies, but for its rate.
  [[nodiscard]] bool reads() const { return goes_on() && waiting() < kMaxWaiting; }
  // When its rate permits the next copy.
  [[nodiscard]] Time next_copy(Time now) const { return pace_.next_copy(now); }
  // The records up to this one have been looked at, or removed.
  void scanned(Offset offset);
  void lost_before(Offset start);
  // The range has been read to its end.
  void reached(Offset next);
  void left_out(LeftOut reason);
  // Whether this copy is the first of its id. The rate is charged for it.
  [[nodiscard]] bool is_first(const Digest& digest, Time now);
  // For what is counted of a record or a copy.
  [[nodiscard]] ReplayCounts& count() { return change().counts; }

  // -- Its copies

  void started() { ++running_, mark(); }
  void stopped() { --running_, mark(); }
  // In a terminal state, which is the one before a new series.
  void ended(JobState state);
  void runs_again(JobState state) { --change().counts.ended[end_of(state)]; }
  // Whether its copies end instead of starting: it was cancelled or deleted.
  [[nodiscard]] bool is_unwanted() const { return row_.cancelled || deleted_; }
  // The type of one of its copies, with the limit that the replay's concurrency is.
  [[nodiscard]] const TypeRuntime* type_of(const TypeRuntime* type) {
    return record_ ? types_.find(type, record_->terms.concurrency) : type;
  }

  // -- Reports and commits

  // What the control topic is to be told now: that the partition pauses it.
  [[nodiscard]] std::optional<std::string> take_pause(Time now);
  // A report, if one is due: at once when the partition is done.
  [[nodiscard]] std::optional<std::string> take_report(Time now, std::uint64_t commit);
  [[nodiscard]] std::optional<Time> next_report() const;
  // All was read, or nothing more is, and every copy has ended.
  [[nodiscard]] bool is_done() const {
    return (row_.read || row_.cancelled) && row_.counts.live() <= 0;
  }
  // Whether there is anything about it to read, to save or to report, or there are copies.
  [[nodiscard]] bool is_busy() const {
    return dirty_ || changed_ || early_ || gate_.has_news() || goes_on() ||
           row_.counts.live() > 0 || running_ > 0;
  }
  // A copy of the replay that was started then has come, perhaps before the control topic tells of
  // that one here.
  void copy_comes(Time started_at);
  // Nothing of it is needed any more: it was deleted, and has no copies.
  [[nodiscard]] bool is_over() const {
    return !record_ && !early_ && row_.counts.live() <= 0 && running_ == 0;
  }

  // 0: it has nothing to save.
  [[nodiscard]] std::size_t unsaved_bytes() const {
    return dirty_ ? 128 + ids_.unsaved_bytes() : 0;
  }
  void save(View& view, std::uint64_t seq);

 private:
  [[nodiscard]] ReplayRow& change() { return mark(), row_; }
  void mark() { dirty_ = changed_ = true; }
  void begin_anew(Time started_at);
  void look_at_dead();

  const std::string name_;
  const std::string id_prefix_;
  const PartitionId partition_;
  ReplayGate gate_;
  ReplayRow row_;
  std::optional<ReplayRecord> record_;
  std::optional<ReplayFilter> filter_;
  ReplayRange range_;
  ReplayPace pace_;
  std::int64_t running_ = 0;
  CopiedIds ids_;
  CopyTypes types_;
  bool early_ = false;
  bool deleted_ = false;
  bool dirty_ = false;    // since the last commit
  bool changed_ = false;  // since the last report
  Time reported_at_{};
};

}  // namespace penstock
