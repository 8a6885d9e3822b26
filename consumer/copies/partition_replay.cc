#include "consumer/copies/partition_replay.h"

#include <algorithm>
#include <utility>

#include "state/rows/job_row.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

constexpr std::size_t kDeadEnd = end_of(JobState::kDead);

}  // namespace

void PartitionReplay::restored(const ReplayRow& row) { row_ = row; }

void PartitionReplay::set(const ReplayRecord& record, const std::string& source) {
  // What a copy has come of was started after this one was deleted.
  if (early_ && record.started_at < row_.started_at) return;
  deleted_ = false;
  if (record_ && *record_ == record) return;
  const bool is_new = !record_;
  const bool anew = row_.started_at != record.started_at;
  if (anew) begin_anew(record.started_at);
  record_ = record;
  gate_.set(record_);
  early_ = false;
  if (is_new || anew) {
    const auto at = static_cast<std::size_t>(partition_);
    range_ = at < record.ranges.size() ? record.ranges[at] : ReplayRange{};
    filter_.emplace(record.terms, source);
    pace_.set(record, partition_);
    if (row_.next < range_.from) change().next = range_.from;
    if (!row_.read && row_.next >= range_.to) reached(range_.to);
    // An earlier owner may not have come to report the last it did.
    changed_ = true;
  }
  if (record.resumes != row_.resumes) {
    change().resumes = record.resumes;
    row_.base_ended = row_.counts.all_ended();
    row_.base_dead = row_.counts.ended[kDeadEnd];
  }
  if (record.state == ReplayState::kCancelled && !row_.cancelled) {
    change().cancelled = true;
    ids_.done();
  }
  // An earlier owner may have counted them and not have come to pause the replay.
  if (is_new || anew) look_at_dead();
}

void PartitionReplay::forget_record(bool deleted) {
  record_.reset();
  gate_.set(record_);
  // A copy may come before its replay is known here.
  deleted_ = deleted && !early_;
}

void PartitionReplay::copy_comes(Time started_at) {
  if (started_at > row_.started_at) {
    begin_anew(started_at);
    record_.reset();
    gate_.set(record_);
  }
  early_ = !record_;
  deleted_ = deleted_ && !early_;
}

// An earlier replay of the name was deleted: nothing of it counts for this one.
void PartitionReplay::begin_anew(Time started_at) {
  if (row_.started_at != Time{}) {
    row_ = {};
    ids_.begin_anew();
  }
  change().started_at = started_at;
}

// -- Reading

bool PartitionReplay::goes_on() const {
  return record_ && record_->state == ReplayState::kRunning && !row_.read && !row_.cancelled &&
         !gate_.pauses_itself();
}

void PartitionReplay::scanned(Offset offset) {
  ReplayRow& row = change();
  ++row.counts.scanned;
  row.next = offset.next();
  if (row.next >= range_.to) reached(row.next);
}

void PartitionReplay::lost_before(Offset start) {
  if (start <= row_.next) return;
  const Offset until = std::min(start, range_.to);
  change().counts.left_out[static_cast<std::size_t>(LeftOut::kLost)] +=
      until.value - row_.next.value;
  row_.next = until;
  if (row_.next >= range_.to) reached(row_.next);
}

void PartitionReplay::reached(Offset next) {
  change().next = next;
  row_.read = true;
  ids_.done();
}

void PartitionReplay::left_out(LeftOut reason) {
  ++change().counts.left_out[static_cast<std::size_t>(reason)];
}

bool PartitionReplay::is_first(const Digest& digest, Time now) {
  if (!ids_.is_first(digest)) return false;
  mark();
  pace_.charge(now);
  return true;
}

// -- Its copies

void PartitionReplay::ended(JobState state) {
  ++change().counts.ended[end_of(state)];
  if (state == JobState::kDead) look_at_dead();
}

void PartitionReplay::look_at_dead() {
  if (!record_ || !record_->terms.max_dead || record_->state != ReplayState::kRunning) return;
  const std::int64_t dead = row_.counts.ended[kDeadEnd] - row_.base_dead;
  const std::int64_t ended = row_.counts.all_ended() - row_.base_ended;
  const double most =
      *record_->terms.max_dead / 100 * static_cast<double>(std::max(ended, kMinEnded));
  if (static_cast<double>(dead) <= most) return;
  gate_.pause(std::to_string(dead) + " of the " + std::to_string(ended) +
              " copies that have ended in partition " + std::to_string(partition_) +
              " are dead, more than max_dead permits");
}

// -- Reports and commits

std::optional<std::string> PartitionReplay::take_pause(Time now) {
  if (!gate_.has_news() || !record_) return std::nullopt;
  gate_.told();
  return to_json_text(ReplayPause{record_->started_at, record_->resumes, gate_.own_reason(), now});
}

std::optional<Time> PartitionReplay::next_report() const {
  if (!record_) return std::nullopt;
  if (gate_.has_news()) return Time{};
  if (!changed_) return std::nullopt;
  const auto partitions = static_cast<std::int64_t>(record_->ranges.size());
  const Duration every =
      kReportEvery * std::max(partitions, kReportingPartitions) / kReportingPartitions;
  return is_done() ? Time{} : reported_at_ + every;
}

std::optional<std::string> PartitionReplay::take_report(Time now, std::uint64_t commit) {
  const auto due = next_report();
  if (!changed_ || !due || now < *due) return std::nullopt;
  changed_ = false;
  reported_at_ = now;
  return to_json_text(ReplayProgress{row_.next, row_.counts, running_, now, is_done(), commit});
}

void PartitionReplay::save(View& view, std::uint64_t seq) {
  if (!dirty_) return;
  dirty_ = false;
  view.put(keys::replay(name_), row_.encode());
  ids_.save(view, seq, !row_.read && !row_.cancelled);
}

}  // namespace penstock
