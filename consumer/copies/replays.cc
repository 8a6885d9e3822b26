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
    --max_rows;
    PartitionReplay* const replay = find(keys::parse_replay(key));
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
  auto made = std::make_unique<PartitionReplay>(std::string(name), partition_);
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
      make(target.name).set(record, record.terms.dead ? names_.dead_topic() : names_.topic());
    });
  }
  std::vector<Gate*> gates;
  for (auto& [name, replay] : replays_) {
    if (!control || !control->replay({names_.queue(), name})) replay->forget_record();
    gates.push_back(&replay->gate());
  }
  return gates;
}

void Replays::forget_deleted() {
  for (auto at = replays_.begin(); at != replays_.end();) {
    PartitionReplay& replay = *at->second;
    // A gate with a timer or a waiter is still known to the scheduler.
    if (!replay.is_over() || !replay.gate().unused() || replay.gate().timer.number != 0) {
      ++at;
      continue;
    }
    view_.erase(keys::replay(replay.name()));
    replay.ids().erase(view_);
    if (last_ == &replay) last_ = nullptr;
    at = replays_.erase(at);
  }
}

PartitionReplay* Replays::reading(Time now) {
  if (replays_.empty()) return nullptr;
  const auto can = [&](PartitionReplay& replay) {
    return replay.reads() && replay.next_copy(now) <= now;
  };
  PartitionReplay* const current = find(turn_);
  if (current && now < turn_ends_ && can(*current)) return current;
  auto next = replays_.upper_bound(turn_);
  for (std::size_t left = replays_.size(); left > 0; --left, ++next) {
    if (next == replays_.end()) next = replays_.begin();
    if (!can(*next->second)) continue;
    turn_ = next->first;
    turn_ends_ = now + kTurn;
    return next->second.get();
  }
  return nullptr;
}

// The replay of this queue that has made the copy.
PartitionReplay* Replays::of(const JobRow& row) {
  if (!row.is_copy() || !row.origin.empty() || replays_.empty()) return nullptr;
  if (last_ && last_->has_copy(row.id)) return last_;
  PartitionReplay* const found = find(replay_of_copy(row.id));
  if (found) last_ = found;
  return found;
}

// It may come before the control topic has told of its replay here, and counts all the same.
void Replays::received(const JobRow& row) {
  if (!row.is_copy() || !row.origin.empty()) return;
  const std::string_view name = replay_of_copy(row.id);
  const bool is_known = find(name) != nullptr;
  PartitionReplay& replay = make(name);
  if (!is_known) replay.comes_early();
  ++replay.count().received;
  ++replay.count().admitted;
}

void Replays::repeated(std::string_view name, bool own) {
  PartitionReplay* const replay = own ? find(name) : nullptr;
  if (!replay) return;
  --replay->count().admitted;
  replay->left_out(LeftOut::kRepeat);
}

void Replays::started(const JobRow& row) {
  if (PartitionReplay* const replay = of(row)) replay->started();
}

void Replays::stopped(const JobRow& row) {
  if (PartitionReplay* const replay = of(row)) replay->stopped();
}

void Replays::ended(const JobRow& row) {
  if (PartitionReplay* const replay = of(row)) replay->ended(row.state);
}

void Replays::runs_again(const JobRow& row) {
  if (PartitionReplay* const replay = of(row)) replay->runs_again(row.state);
}

bool Replays::is_cancelled(const JobRow& row) {
  PartitionReplay* const replay = of(row);
  return replay && replay->row().cancelled;
}

const TypeRuntime* Replays::type_of(const JobRow& row, const TypeRuntime* type) {
  PartitionReplay* const replay = of(row);
  return replay ? replay->type_of(type, names_.queue()) : type;
}

Gate* Replays::closed(LiveJob* job, const Line&) {
  PartitionReplay* const replay = of(job->row);
  return replay && replay->gate().room() == 0 ? &replay->gate() : nullptr;
}

// One of them may be paused or cancelled, and each has slots of its own.
bool Replays::may_join(const JobBatch& batch, LiveJob* job) {
  return of(batch.items.front().job->row) == of(job->row);
}

std::vector<Replays::Report> Replays::take_reports(Time now, std::uint64_t commit) {
  std::vector<Report> reports;
  for (auto& [name, replay] : replays_) {
    const ReplayTarget target{names_.queue(), name};
    if (auto pause = replay->take_pause(now))
      reports.push_back({replay_key(target), std::move(*pause)});
    if (auto report = replay->take_report(now, commit))
      reports.push_back({replay_report_key(target, partition_), std::move(*report)});
  }
  return reports;
}

std::optional<Time> Replays::next_time(Time now) {
  std::optional<Time> next;
  const auto at = [&next](Time time) {
    if (!next || time < *next) next = time;
  };
  for (auto& [name, replay] : replays_) {
    if (const auto report = replay->next_report()) at(*report);
    if (replay->reads()) {
      const Time copy = replay->next_copy(now);
      // Its records arrive by themselves, unless its rate is what it waits for.
      if (copy > now) at(copy);
    }
  }
  return next;
}

bool Replays::dirty() const {
  return std::any_of(replays_.begin(), replays_.end(),
                     [](const auto& entry) { return entry.second->dirty(); });
}

std::size_t Replays::unsaved_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, replay] : replays_) bytes += replay->unsaved_bytes();
  return bytes;
}

void Replays::save(std::uint64_t seq) {
  for (auto& [name, replay] : replays_) replay->save(view_, seq);
}

}  // namespace penstock
