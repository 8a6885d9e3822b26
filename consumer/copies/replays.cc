#include "consumer/copies/replays.h"

#include <algorithm>

#include "state/rows/keys.h"
#include "topics/values/check.h"

namespace penstock {

bool Replays::restore_some(std::string& from, std::size_t max_rows) {
  // First the rows, of which there are few, then the ids.
  const std::string rows(1, keys::kReplay), ids(1, keys::kReplayIds);
  if (from.empty()) {
    view_.scan(rows, keys::after_prefix(rows), [&](std::string_view key, std::string_view value) {
      const Result<ReplayRow> row = ReplayRow::decode(value);
      PENSTOCK_CHECK(row.has_value(), "a replay's row follows its grammar");
      make(keys::parse_replay(key)).restored(*row);
      return true;
    });
    from = ids;
  }
  bool more = false;
  view_.scan(from, keys::after_prefix(ids), [&](std::string_view key, std::string_view value) {
    more = max_rows == 0;
    if (more) {
      from = key;
      return false;
    }
    PartitionReplay* const replay = find(keys::parse_replay(key));
    // A row has the ids of one commit, which may be many.
    max_rows -= std::min(max_rows, 1 + value.size() / kDigestBytes);
    if (replay && !replay->row().read) replay->ids().restored(value);
    return true;
  });
  if (more) return true;
  restored_ = true;
  // No job is in a line yet, so nothing waits at the gates.
  static_cast<void>(set_control(control_));
  return false;
}

PartitionReplay& Replays::make(std::string_view name) {
  const auto found = replays_.find(name);
  if (found != replays_.end()) return *found->second;
  auto made = std::make_unique<PartitionReplay>(std::string(name), names_.queue(), partition_);
  return *replays_.emplace(std::string(name), std::move(made)).first->second;
}

PartitionReplay* Replays::find(std::string_view name) {
  const auto found = replays_.find(name);
  return found == replays_.end() ? nullptr : found->second.get();
}

std::vector<Gate*> Replays::set_control(const Control* control) {
  control_ = control;
  if (!restored_) return {};
  if (control) {
    control->each_replay([&](const ReplayTarget& target, const ReplayRecord& record) {
      if (target.queue != names_.queue()) return;
      PartitionReplay& replay = make(target.name);
      replay.set(in_force(record, control->replay_pauses(target)),
                 record.terms.dead ? names_.dead_topic() : names_.topic());
      note_busy(replay);
    });
  }
  std::vector<Gate*> gates;
  for (auto& [name, replay] : replays_) {
    if (!control || !control->replay({names_.queue(), name})) {
      replay->forget_record(control != nullptr);
      any_deleted_ = true;
    }
    gates.push_back(&replay->gate());
  }
  return gates;
}

void Replays::forget_deleted() {
  if (!any_deleted_ || !control_) return;
  any_deleted_ = false;
  for (auto at = replays_.begin(); at != replays_.end();) {
    PartitionReplay& replay = *at->second;
    any_deleted_ = any_deleted_ || !control_->replay({names_.queue(), at->first});
    // A gate with a timer or a waiter is still known to the scheduler.
    if (!replay.is_over() || !replay.gate().unused() || replay.gate().timer.number != 0) {
      ++at;
      continue;
    }
    view_.erase(keys::replay(replay.name()));
    replay.ids().erase(view_);
    if (last_ == &replay) last_ = nullptr;
    busy_.erase(replay.name());
    at = replays_.erase(at);
  }
}

// The replay of this queue that has made the copy.
PartitionReplay* Replays::of(const JobRow& row) {
  if (!row.is_copy() || !row.origin.empty() || replays_.empty()) return nullptr;
  if (last_ && last_->has_copy(row.id)) return last_;
  PartitionReplay* const found = find(replay_of_copy(row.id));
  if (found) last_ = found;
  return found;
}

PartitionReplay* Replays::change(const JobRow& row) {
  PartitionReplay* const replay = of(row);
  if (replay && replay->unsaved_bytes() == 0) note_busy(*replay);
  return replay;
}

// It may come before the control topic has told of its replay here, and counts all the same.
void Replays::received(const JobRow& row, Time started_at) {
  if (!row.is_copy() || !row.origin.empty()) return;
  const std::string_view name = replay_of_copy(row.id);
  const bool is_known = find(name) != nullptr;
  PartitionReplay& replay = make(name);
  replay.copy_comes(started_at);
  any_deleted_ = any_deleted_ || !is_known;
  note_busy(replay);
  ++replay.count().received;
  ++replay.count().admitted;
}

void Replays::repeated(std::string_view name, bool own) {
  PartitionReplay* const replay = own ? find(name) : nullptr;
  if (!replay) return;
  note_busy(*replay);
  --replay->count().admitted;
  replay->left_out(LeftOut::kRepeat);
}

void Replays::started(const JobRow& row) {
  if (PartitionReplay* const replay = change(row)) replay->started();
}

void Replays::stopped(const JobRow& row) {
  if (PartitionReplay* const replay = change(row)) replay->stopped();
}

void Replays::ended(const JobRow& row) {
  if (PartitionReplay* const replay = change(row)) replay->ended(row.state);
}

void Replays::runs_again(const JobRow& row) {
  if (PartitionReplay* const replay = change(row)) replay->runs_again(row.state);
}

bool Replays::is_cancelled(const JobRow& row) {
  const PartitionReplay* const replay = of(row);
  return replay && replay->is_unwanted();
}

bool Replays::has_unwanted() const {
  return std::any_of(busy_.begin(), busy_.end(), [](const auto& entry) {
    return entry.second->is_unwanted() && entry.second->waiting() > 0;
  });
}

const TypeRuntime* Replays::type_of(const JobRow& row, const TypeRuntime* type) {
  PartitionReplay* const replay = of(row);
  return replay ? replay->type_of(type) : type;
}

Gate* Replays::closed(LiveJob* job, const Line&) {
  PartitionReplay* const replay = of(job->row);
  return replay && replay->gate().room() == 0 ? &replay->gate() : nullptr;
}

std::vector<Replays::Report> Replays::take_reports(Time now, std::uint64_t commit) {
  std::vector<Report> reports;
  for (auto& [name, replay] : busy_) {
    if (reports.size() >= kMaxReports) break;
    const ReplayTarget target{names_.queue(), replay->name()};
    if (auto pause = replay->take_pause(now))
      reports.push_back({replay_pause_key(target, partition_), std::move(*pause)});
    if (auto report = replay->take_report(now, commit))
      reports.push_back({replay_report_key(target, partition_), std::move(*report)});
  }
  return reports;
}

std::optional<Time> Replays::next_time(Time now) const {
  std::optional<Time> next;
  const auto at = [&next](Time time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& [name, replay] : busy_) {
    if (const auto report = replay->next_report()) at(*report);
    if (replay->goes_on() && replay->reads()) {
      const Time copy = replay->next_copy(now);
      // Its records arrive by themselves, unless its rate is what it waits for.
      if (copy > now) at(copy);
    }
  }
  return next;
}

bool Replays::dirty() const {
  return std::any_of(busy_.begin(), busy_.end(),
                     [](const auto& entry) { return entry.second->unsaved_bytes() > 0; });
}

std::size_t Replays::unsaved_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, replay] : busy_) bytes += replay->unsaved_bytes();
  return bytes;
}

void Replays::save(std::uint64_t seq) {
  for (auto at = busy_.begin(); at != busy_.end();) {
    at->second->save(view_, seq);
    at = at->second->is_busy() ? std::next(at) : busy_.erase(at);
  }
}

}  // namespace penstock
