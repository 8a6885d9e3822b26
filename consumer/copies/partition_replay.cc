#include "consumer/copies/partition_replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "state/rows/job_row.h"
#include "state/rows/keys.h"

namespace penstock {
namespace {

constexpr std::size_t kDeadEnd = end_of(JobState::kDead);

// The partition's part of a rate: that of its records, so that all partitions take equally long.
std::optional<Gcra> share_of(const std::optional<Rate>& rate, std::int64_t records,
                             std::int64_t all) {
  if (!rate || records <= 0) return std::nullopt;
  const double part = static_cast<double>(records) / static_cast<double>(std::max(all, records));
  const auto period =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(rate->period.count()) / part));
  const auto burst = static_cast<int>(default_burst(*rate) * part);
  return Gcra(rate->count, std::min(Duration{period}, Duration{Gcra::kMaxPeriod}),
              std::max(1, burst));
}

}  // namespace

void PartitionReplay::restored(const ReplayRow& row) { row_ = row; }

void PartitionReplay::set(const ReplayRecord& record, const std::string& source) {
  if (record_ && *record_ == record) return;
  const bool is_new = !record_;
  if (is_new || record.resumes != row_.resumes || record.state != record_->state) {
    own_pause_.clear();
    told_pause_ = false;
  }
  const bool anew = row_.started_at != record.started_at;
  if (anew) begin_anew(record.started_at);
  record_ = record;
  early_ = false;
  if (is_new || anew) {
    const auto at = static_cast<std::size_t>(partition_);
    range_ = at < record.ranges.size() ? record.ranges[at] : ReplayRange{};
    filter_.emplace(record.terms, source);
    rate_ = share_of(record.terms.rate, range_.records(), record.records());
    if (row_.next < range_.from) row_.next = range_.from;
    mark();
    if (row_.next >= range_.to) reached(range_.to);
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
  set_gate();
}

// An earlier replay of the name was deleted: nothing of it counts for this one.
void PartitionReplay::begin_anew(Time started_at) {
  if (row_.started_at != Time{}) {
    row_ = {};
    ids_.begin_anew();
    own_pause_.clear();
    told_pause_ = false;
    types_.clear();
  }
  change().started_at = started_at;
}

void PartitionReplay::set_gate() {
  const bool paused = record_ && record_->state == ReplayState::kPaused;
  std::string why = own_pause_;
  if (paused && why.empty()) why = record_->reason.empty() ? record_->by : record_->reason;
  gate_.set((paused || !own_pause_.empty()) && !row_.cancelled, std::move(why));
}

// -- Reading

bool PartitionReplay::reads() const {
  return record_ && record_->state == ReplayState::kRunning && !row_.read && !row_.cancelled &&
         own_pause_.empty() && waiting() < kMaxWaiting;
}

Time PartitionReplay::next_copy(Time now) const {
  return rate_ ? rate_->earliest(rate_state_, now) : now;
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
  if (rate_) rate_->take(rate_state_, now);
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
  pause(std::to_string(dead) + " of the " + std::to_string(ended) +
        " copies that have ended in partition " + std::to_string(partition_) +
        " are dead, more than max_dead permits");
}

void PartitionReplay::pause(const std::string& reason) {
  if (!own_pause_.empty()) return;
  own_pause_ = reason;
  set_gate();
}

const TypeRuntime* PartitionReplay::type_of(const TypeRuntime* type, const std::string& queue) {
  if (!type || !record_ || !record_->terms.concurrency) return type;
  std::unique_ptr<TypeRuntime>& own = types_[type->name];
  if (!own) {
    own = std::make_unique<TypeRuntime>(*type);
    LimitPolicy limit;
    const std::string limit_name = "replay/" + queue + "/" + name_;
    limit.name = {limit_name, {{LimitName::Part::kText, limit_name, {}}}};
    limit.slots = *record_->terms.concurrency;
    own->policy.limits.push_back(std::move(limit));
  }
  return own.get();
}

// -- Reports and commits

std::optional<std::string> PartitionReplay::take_pause(Time now) {
  if (own_pause_.empty() || told_pause_ || !record_) return std::nullopt;
  told_pause_ = true;
  ReplayRecord paused = *record_;
  paused.state = ReplayState::kPaused;
  paused.reason = own_pause_;
  paused.at = now;
  paused.by = "penstock";
  return to_json_text(paused);
}

bool PartitionReplay::is_done() const { return row_.read && row_.counts.live() <= 0; }

std::optional<Time> PartitionReplay::next_report() const {
  if (!record_ || !changed_) return std::nullopt;
  return is_done() ? Time{} : reported_at_ + kReportEvery;
}

std::optional<std::string> PartitionReplay::take_report(Time now, std::uint64_t commit) {
  const auto due = next_report();
  if (!due || now < *due) return std::nullopt;
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
