// Task: what operators ask. "Why is it not running" is answered from state alone.
#include <absl/container/flat_hash_set.h>

#include "consumer/task.h"
#include "state/encoding.h"
#include "topics/check.h"
#include "topics/rfc3339.h"

namespace penstock {

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
  absl::flat_hash_set<std::string, TextHash, TextEqual> shown;  // rows of jobs that are in memory too
  lines_.each([&](Flow& flow) {
    const auto show = [&](const LiveJob* job) {
      for (; job && more; job = job->next) {
        if (!job->row_key.empty()) shown.insert(job->row_key);
        more = function(describe(job->row, job, now));
      }
    };
    show(flow.running.first());
    flow.each([&](const Line& line) { show(line.jobs.first()); });
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
  } else if (row.state == JobState::kReady && (!type || !live || live->previous || !live->flow->running.empty())) {
    info.state = JobState::kWaiting;
  }
  if (!is_terminal(info.state)) info.why = why(row, info.state, live, now);
  return info;
}

std::string Task::why(const JobRow& row, JobState state, const LiveJob* live, Now now) {
  if (state == JobState::kRunning) {
    return "attempt " + std::to_string(row.attempt) + " runs since " + format_rfc3339(row.started_at);
  }
  if (row.run_at > now.wall) {
    const std::string at = format_rfc3339(row.run_at);
    if (state != JobState::kRetrying) return "waits for its run_at, " + at;
    return "waits for its retry at " + at + " (attempt " + std::to_string(row.attempt) + "): " + row.reason;
  }
  if (!options_.types->find(row.type)) {
    return "no policy and no handler of this worker knows the type \"" + row.type + "\"";
  }
  Flow* const flow = lines_.find(row.account);
  std::string buffer;
  const Line* const line = flow ? Lines::find(*flow, line_of(row, buffer)) : nullptr;
  if (line && line->gate.waits_at && (!live || !live->previous)) return "waits for " + line->gate.waits_at->what();
  if (flow && flow->running.first()) {
    const std::string& holder = flow->running.first()->row.id;
    return "the account already runs " + std::to_string(flow->running.size()) + " of " +
           std::to_string(options_.queue.account_concurrency) + " (\"" + holder + "\")";
  }
  if (line && line->blocked_until != Time{}) {
    return "an earlier job of the account waits until " + format_rfc3339(line->blocked_until);
  }
  if (live && !live->previous) return "its turn is next: it waits for a free place of --concurrency";
  return "earlier jobs of the account run first";
}

}  // namespace penstock
