// Task: what operators ask. "Why is it not running" is answered from state alone.
#include <absl/container/flat_hash_set.h>

#include "consumer/job/snooze.h"
#include "consumer/task/task.h"
#include "state/rows/encoding.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

std::string count_of(std::size_t count, std::string_view one, std::string_view more) {
  std::string text = std::to_string(count) + (count >= Turns::kMostCounted ? " or more " : " ");
  return text.append(count == 1 ? one : more);
}

std::string asked_of(const JobRow& row) {
  if (!row.cancel_asked()) return {};
  return std::string("; it is asked to stop, as it has been ") +
         (row.asked == Asked::kDelete ? "deleted" : "cancelled");
}

bool may_have_killed(const JobRow& row) { return row.crashes >= kMaxCrashes - 1; }

std::string among_others(const LiveJob& job) {
  const LiveJob& first = job.leader ? *job.leader : job;
  const std::size_t jobs = first.batch ? first.batch->jobs() : 1;
  if (jobs == 1) return {};
  return ", in a batch of " + count_of(jobs, "job", "jobs") + " of which \"" + first.row.id +
         "\" is the first";
}

}  // namespace

std::optional<JobInfo> Task::find(std::string_view account, std::string_view id, Now now) {
  if (const LiveJob* const live = find_live(account, id)) return describe(live->row, live, now);
  std::string key, bytes;
  if (identity_rows_ == 0 || !view_.get(keys::identity(identity_digest(account, id)), &key) ||
      !view_.get(key, &bytes)) {
    return std::nullopt;
  }
  const Result<JobRow> row = JobRow::decode(bytes);
  PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
  return describe(*row, nullptr, now);
}

void Task::each_job(Now now, const JobFunction& function) {
  bool more = true;
  absl::flat_hash_set<std::string, TextHash, TextEqual>
      shown;  // rows of jobs that are in memory too
  lines_.each([&](Flow& flow) {
    const auto show = [&](const LiveJob* job) {
      if (!more) return;
      if (!job->row_key.empty()) shown.insert(job->row_key);
      more = function(describe(job->row, job, now));
    };
    flow.each_running(show);
    flow.each([&](const Line& line) {
      for (const LiveJob* job = line.jobs.first(); job && more; job = job->next) show(job);
    });
  });
  for (const char kind : {keys::kDue, keys::kLine, keys::kUnknownType, keys::kEnded}) {
    if (!more) return;
    const std::string from(1, kind);
    view_.scan(from, keys::after_prefix(from), [&](std::string_view key, std::string_view value) {
      if (shown.contains(key)) return true;
      const Result<JobRow> row = JobRow::decode(value);
      PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
      return more = function(describe(*row, nullptr, now));
    });
  }
}

JobInfo Task::describe(const JobRow& row, const LiveJob* live, Now now) {
  JobInfo info{row, row.state, 0, {}};
  const TypeRuntime* const type = options_.types->find(row.type);
  info.max_attempts = type ? type->policy.retry.attempts : 0;
  if (live && live->running) {
    info.state = JobState::kRunning;
  } else if (row.state == JobState::kReady &&
             (!type || !live || live->previous ||
              live->flow->is_full(options_.queue.account_concurrency) ||
              (live->line && (live->line->blocked_until != Time{} || live->line->gate.waits_at)))) {
    info.state = JobState::kWaiting;
  }
  if (!is_terminal(info.state)) info.why = why(row, info.state, live, now);
  return info;
}

std::string Task::why(const JobRow& row, JobState state, const LiveJob* live, Now now) {
  if (state == JobState::kRunning) {
    return "attempt " + std::to_string(row.attempt) + " runs since " +
           format_rfc3339(row.started_at) + among_others(*live) + asked_of(row);
  }
  if (row.cancel_asked()) {
    return std::string("was ") + (row.asked == Asked::kDelete ? "deleted" : "cancelled") +
           " while it ran, and its worker has died: it ends when its turn comes";
  }
  if (row.run_at > now.wall) return until_when(row, state, now);
  if (!options_.types->find(row.type)) {
    return "no policy and no handler of this worker knows the type \"" + row.type + "\"";
  }
  Flow* const flow = lines_.find(row.account);
  std::string buffer;
  const Line* const line = flow ? Lines::find(*flow, line_of(row, buffer)) : nullptr;
  if (line) {
    if (std::string text = who_waits_before(*line, row); !text.empty()) return text;
  }
  if (flow && flow->is_full(options_.queue.account_concurrency)) {
    const std::string& holder = flow->running.first()->row.id;
    return "the account already runs " + std::to_string(flow->running.size()) + " of " +
           std::to_string(options_.queue.account_concurrency) + " (\"" + holder + "\")";
  }
  const bool blocked = line && line->blocked_until != Time{};
  if (blocked && line->blocked_until <= now.wall && row.batch.value >= 0)
    return "waits until all of its batch is in line again: it is retried as it was";
  if (blocked && line->collection && line->blocked_until != kUntilBatchEnds) {
    return "its batch is collecting until " + format_rfc3339(line->blocked_until) + " (" +
           count_of(line->collection->jobs(), "job", "jobs") + " so far)";
  }
  if (blocked && line->blocked_until == kUntilBatchEnds) {
    const LiveJob* const first = running_batch(*line);
    return "waits for the batch that runs" + (first ? among_others(*first) : std::string());
  }
  if (blocked) {
    return "an earlier job of the account waits until " + format_rfc3339(line->blocked_until);
  }
  if (std::string held = host_.held_back(now); !held.empty()) return held;
  if (restoring())
    return "its worker has taken the partition over and is still finding the accounts that have "
           "jobs";
  const std::string first = between_iterations(row, live);
  if (!line && !lines_.has_room_for(row.account))
    return "waits until an account leaves memory: its partition has " +
           std::to_string(lines_.flows()) + " there, as many as it may";
  if (!line) return first + "its time has come, and it is about to come into its account's line";
  const std::string before = who_is_before(*line, row, live);
  return first + (before.empty() ? whose_turn(*line) : before);
}

// Of a job whose time has not come.
std::string Task::until_when(const JobRow& row, JobState state, Now now) {
  const std::string at = format_rfc3339(row.run_at), attempt = std::to_string(row.attempt);
  if (state == JobState::kRetrying)
    return "waits for its retry at " + at + " (attempt " + attempt + "): " + row.reason;
  if (may_have_killed(row) && row.run_at <= now.wall + kSuspectWait + kWallResolution) {
    return "waits until " + at + ": " + std::to_string(row.crashes) +
           " worker processes died while it ran, and another such job may be what runs here";
  }
  if (row.started_at == Time{}) return "waits for its run_at, " + at;
  const std::string snoozes = snoozes_text(row);
  return "waits until " + at + ", as its last attempt or a command has asked (attempt " + attempt +
         (snoozes.empty() ? "" : ", " + snoozes) + ")";
}

// What the line's first job waits for, as what this one waits for; empty: it waits for nothing but
// its turn.
std::string Task::who_waits_before(const Line& line, const JobRow& row) const {
  const LiveJob* const first = line.jobs.first();
  const bool behind = first && first->row.id != row.id;
  if (line.gate.waits_at) {
    return (behind ? "waits behind \"" + first->row.id + "\", which waits for " : "waits for ") +
           line.gate.waits_at->what();
  }
  if (!behind || options_.types->find(first->row.type)) return {};
  return "waits behind \"" + first->row.id + "\", whose type \"" + first->row.type +
         "\" no policy and no handler of this worker knows";
}

// Of the job that its account, or under "fair" its bulk, runs next.
std::string Task::whose_turn(const Line& line) const {
  const std::size_t flows = fair_.flows_before(*line.flow);
  if (flows > 0) {
    return count_of(flows, "account comes", "accounts come") +
           " to a turn before its own, first \"" + fair_.next_flow()->account + "\"";
  }
  const std::size_t shares = line.share ? Turns::shares_before(*line.share) : 0;
  if (shares > 0)
    return count_of(shares, "bulk of the account comes", "bulks of the account come") +
           " to a turn before its own";
  return "its turn is next: it waits for a free place of --concurrency";
}

// The jobs that the account, or under "fair" the bulk, runs before this one, and the first of them:
// of its own line, and of the lines of other types that wait for nothing.
std::string Task::who_is_before(const Line& line, const JobRow& row, const LiveJob* live) {
  const LinePlace place = live ? live->place : place_of(row);
  LineSet& set = line.share ? static_cast<LineSet&>(*line.share) : *line.flow;
  std::size_t before = 0;
  const LiveJob* first = nullptr;
  set.each([&](const Line& other) {
    if (&other != &line && !other.ready()) return;
    for (const LiveJob* job = other.jobs.first(); job && job->place < place; job = job->next) {
      if (!first || job->place < first->place) first = job;
      ++before;
    }
    if (other.more) before += rows_before(other, place);
  });
  if (before == 0) return {};
  return count_of(before, "job", "jobs") + " of " +
         (row.bulk.empty() || !line.share ? "the account" : "bulk \"" + row.bulk + "\"") +
         (before == 1 ? " runs before it" : " run before it") +
         (first ? ", first \"" + first->row.id + "\"" : std::string());
}

// Behind those in memory; counted up to kMostCounted.
std::size_t Task::rows_before(const Line& line, const LinePlace& place) {
  const std::string& account = line.flow->account;
  const std::string from = line.jobs.empty()
                               ? keys::line_prefix(account, line.name)
                               : keys::line(account, line.name, line.jobs.last()->place.order,
                                            line.jobs.last()->place.offset.next());
  const std::string to = keys::line(account, line.name, place.order, place.offset);
  std::size_t rows = 0;
  if (from < to) {
    view_.scan(from, to,
               [&](std::string_view, std::string_view) { return ++rows < Turns::kMostCounted; });
  }
  return rows;
}

}  // namespace penstock
