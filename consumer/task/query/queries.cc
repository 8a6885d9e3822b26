#include "consumer/task/query/queries.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "consumer/job/snooze.h"
#include "consumer/job/suspect.h"
#include "state/rows/encoding.h"
#include "topics/values/check.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

std::string count_of(std::size_t count, std::string_view one, std::string_view more) {
  std::string text = std::to_string(count) + (count >= Turns::kMaxCounted ? " or more " : " ");
  return text.append(count == 1 ? one : more);
}

std::string asked_of(const JobRow& row) {
  if (!row.cancel_asked()) return {};
  return std::string("; it is asked to stop, as it has been ") +
         (row.asked == Asked::kDelete ? "deleted" : "cancelled");
}

std::string among_others(const LiveJob& job) {
  const LiveJob& first = job.leader ? *job.leader : job;
  const std::size_t jobs = first.batch ? first.batch->jobs() : 1;
  if (jobs == 1) return {};
  return ", in a batch of " + count_of(jobs, "job", "jobs") + " of which \"" + first.row.id +
         "\" is the first";
}

// Of a job whose time has not come.
std::string until_when(const JobRow& row, JobState state, Now now) {
  const std::string at = format_rfc3339(row.run_at), attempt = std::to_string(row.attempt);
  if (state == JobState::kRetrying)
    return "waits for its retry at " + at + " (attempt " + attempt + "): " + row.reason;
  if (is_suspect(row) && row.run_at <= now.wall + kSuspectWait + kWallResolution) {
    return "waits until " + at + ": " + std::to_string(row.crashes) +
           " worker processes died while it ran, and another such job may be what runs here";
  }
  if (row.started_at == Time{}) return "waits for its run_at, " + at;
  const std::string snoozes = snoozes_text(row);
  return "waits until " + at + ", as its last attempt or a command has asked (attempt " + attempt +
         (snoozes.empty() ? "" : ", " + snoozes) + ")";
}

// Of a job that waits for its turn: what a user should know besides whose turn it is.
std::string between_iterations(const JobRow& row, const LiveJob* live) {
  std::string text;
  if (row.turn.given())
    text = "it has run for its max_runtime, so it went behind the account's others; ";
  if (live && live->keeps()) text += "it keeps its slots and locks until its next iteration; ";
  return text;
}

// The jobs that run before another one.
struct Before {
  std::size_t count = 0;
  const LiveJob* first = nullptr;  // of those in memory
  bool live = false;               // some of them are no copies

  void add(const LiveJob& job, bool is_live) {
    if (!first || job.turn < first->turn) first = &job;
    ++count;
    live = live || is_live;
  }
};

// The job of the bulk whose turn it is, as far as it is in memory.
const LiveJob* first_of_shares(const Shares& shares) {
  FairTag* const next = shares.queue.least();
  const LiveJob* first = nullptr;
  if (!next) return first;
  Share::of(next)->each([&](const Line& line) {
    const LiveJob* const job = line.ready() ? line.jobs.first() : nullptr;
    if (job && (!first || job->turn < first->turn)) first = job;
  });
  return first;
}

}  // namespace

std::optional<JobInfo> Queries::find(std::string_view account, std::string_view id, Now now) {
  if (const LiveJob* const live = core_.scheduler.lines().find_job(account, id))
    return describe(live->row, live, now);
  const auto bytes = core_.store.row_of(account, id);
  if (!bytes) return std::nullopt;
  const Result<JobRow> row = JobRow::decode(*bytes);
  PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
  return describe(*row, nullptr, now);
}

void Queries::each_job(Now now, const JobFunction& function) {
  bool more = true;
  absl::flat_hash_set<std::string, TextHash, TextEqual>
      shown;  // rows of jobs that are in memory too
  core_.scheduler.lines().each([&](Flow& flow) {
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
  // A job in memory may differ from its row until the next commit, so it is shown from memory.
  for (const char kind : kRowKinds) {
    if (!more) return;
    const std::string from(1, kind);
    core_.view.scan(from, keys::after_prefix(from),
                    [&](std::string_view key, std::string_view value) {
                      if (shown.contains(key)) return true;
                      const Result<JobRow> row = JobRow::decode(value);
                      PENSTOCK_CHECK(row.has_value(), "a job row follows its grammar");
                      return more = function(describe(*row, nullptr, now));
                    });
  }
}

JobInfo Queries::describe(const JobRow& row, const LiveJob* live, Now now, Detail detail) {
  JobInfo info{row, row.state, 0, {}, {}};
  const TypeRuntime* const type = core_.type_of(row);
  info.max_attempts = type ? type->policy.retry.attempts : 0;
  if (live && live->running) {
    info.state = JobState::kRunning;
  } else if (row.state == JobState::kReady &&
             (!type || !live || live->previous || core_.scheduler.is_full(*live->flow) ||
              (live->line && (live->line->blocked_until != Time{} || live->line->gate.waits_at)))) {
    info.state = JobState::kWaiting;
  }
  if (is_terminal(info.state)) return info;
  Why found = why(row, info.state, live, now, detail);
  info.why = std::move(found.text);
  info.waits = std::move(found.waits);
  return info;
}

Queries::Why Queries::why(const JobRow& row, JobState state, const LiveJob* live, Now now,
                          Detail detail) {
  if (state == JobState::kRunning) {
    return {{},
            "attempt " + std::to_string(row.attempt) + " runs since " +
                format_rfc3339(row.started_at) + among_others(*live) + asked_of(row)};
  }
  if (row.cancel_asked()) {
    return {{Waits::kTurn},
            std::string("was ") + (row.asked == Asked::kDelete ? "deleted" : "cancelled") +
                " while it ran, and its worker has died: it ends when its turn comes"};
  }
  if (row.run_at > now.wall)
    return {{state == JobState::kRetrying ? Waits::kRetry : Waits::kTime},
            until_when(row, state, now)};
  if (!core_.type_of(row)) {
    return {{Waits::kType, row.type},
            "no policy and no handler of this worker knows the type \"" + row.type + "\""};
  }
  return why_in_line(row, live, now, detail);
}

Queries::Why Queries::why_account(const Flow& flow) const {
  const std::string& holder = flow.running.first()->row.id;
  return {{Waits::kAccount, holder},
          "the account already runs " + std::to_string(flow.running.size()) + " of " +
              std::to_string(core_.options.queue.account_concurrency) + " (\"" + holder + "\")"};
}

// Of a job that is due, and whose type is known.
Queries::Why Queries::why_in_line(const JobRow& row, const LiveJob* live, Now now, Detail detail) {
  Flow* const flow = core_.scheduler.lines().find(row.account);
  const Line* const line = core_.scheduler.find_line(row);
  if (line) {
    if (auto found = first_waits(*line, row)) return *std::move(found);
  }
  if (flow && core_.scheduler.is_full(*flow)) return why_account(*flow);
  if (line && line->blocked_until != Time{})
    return {{Waits::kAccount}, why_blocked(*line, row, now)};
  if (std::string held = core_.host.held_back(now); !held.empty())
    return {{Waits::kWorker}, std::move(held)};
  if (core_.restoring)
    return {{Waits::kWorker},
            "its worker has taken the partition over and is still finding the accounts that have "
            "jobs"};
  if (detail == Detail::kBrief) return {{Waits::kTurn}, {}};
  const std::string first = between_iterations(row, live);
  if (!line && !core_.scheduler.lines().has_room_for(row.account))
    return {{Waits::kTurn},
            "waits until an account leaves memory: its partition has " +
                std::to_string(core_.scheduler.lines().flows()) + " there, as many as it may"};
  if (!line)
    return {{Waits::kTurn},
            first + "its time has come, and it is about to come into its account's line"};
  const std::string before = jobs_before(*line, row, live);
  return {{Waits::kTurn}, first + (before.empty() ? whose_turn(*line) : before)};
}

// Of a job whose line is blocked until a time, or while its batch runs.
std::string Queries::why_blocked(const Line& line, const JobRow& row, Now now) const {
  if (line.blocked_until <= now.wall && row.batch.given())
    return "waits until all of its batch is in line again: it is retried as it was";
  if (line.blocked_until == kUntilBatchEnds) {
    const LiveJob* const first = core_.scheduler.batches().running_batch(line);
    return "waits for the batch that runs" + (first ? among_others(*first) : std::string());
  }
  if (line.collection) {
    return "its batch is collecting until " + format_rfc3339(line.blocked_until) + " (" +
           count_of(line.collection->jobs(), "job", "jobs") + " so far)";
  }
  return "an earlier job of the account waits until " + format_rfc3339(line.blocked_until);
}

// What the line's first job waits for, as what this one waits for; nothing: it waits for nothing
// but its turn.
std::optional<Queries::Why> Queries::first_waits(const Line& line, const JobRow& row) const {
  const LiveJob* const first = line.jobs.first();
  const bool behind = first && first->row.id != row.id;
  if (line.gate.waits_at) {
    return Why{
        line.gate.waits_at->blocker(),
        (behind ? "waits behind \"" + first->row.id + "\", which waits for " : "waits for ") +
            line.gate.waits_at->what()};
  }
  if (!behind || core_.type_of(first->row)) return std::nullopt;
  return Why{{Waits::kType, first->row.type},
             "waits behind \"" + first->row.id + "\", whose type \"" + first->row.type +
                 "\" no policy and no handler of this worker knows"};
}

// Of the job that its account, or under "fair" its bulk, runs next.
std::string Queries::whose_turn(const Line& line) const {
  const std::size_t flows = core_.scheduler.turns().flows_before(*line.flow);
  if (flows > 0) {
    return count_of(flows, "account comes", "accounts come") +
           " to a turn before its own, first \"" + core_.scheduler.turns().next_flow()->account +
           "\"";
  }
  const std::size_t shares = line.share ? Turns::shares_before(*line.share) : 0;
  if (shares > 0)
    return count_of(shares, "bulk of the account comes", "bulks of the account come") +
           " to a turn before its own";
  return "its turn is next: it waits for a free place of --concurrency";
}

// The jobs that the account, or under "fair" the bulk, runs before this one, and the first of them:
// of its own line, and of other lines that wait for nothing. Before a copy, these are all other
// jobs of the account too, whatever their bulk.
std::string Queries::jobs_before(const Line& line, const JobRow& row, const LiveJob* live) {
  const LinePlace place = core_.order.place_of(row);
  const LinePlace turn = LineOrder::turn_of(place, line.copies);
  Before before;
  const auto look = [&](const Line& other) {
    const bool own = &other == &line;
    if ((!own && !other.ready()) || before.count >= Turns::kMaxCounted) return;
    const LinePlace own_place = live ? live->place : place;
    for (const LiveJob* job = other.jobs.first(); job; job = job->next) {
      if (own ? job->place >= own_place : job->turn >= turn) break;
      before.add(*job, !other.copies);
    }
    if (!other.more || (other.copies && !line.copies)) return;
    const bool all = !other.copies && line.copies;
    const std::size_t rows =
        rows_before(other, all ? std::nullopt : std::optional(own ? own_place : place));
    before.count += rows;
    before.live = before.live || (rows > 0 && !other.copies);
  };
  if (line.share && !line.copies) {
    line.share->each(look);
  } else {
    line.flow->each(look);
  }
  if (before.count == 0) return {};
  if (line.share && line.copies) {
    // Of the bulks, the one whose turn it is comes first.
    if (const LiveJob* const next = first_of_shares(*line.flow->shares)) before.first = next;
  }
  return count_of(std::min(before.count, Turns::kMaxCounted), "job", "jobs") + " of " +
         (row.bulk.empty() || !line.share ? "the account" : "bulk \"" + row.bulk + "\"") +
         (before.count == 1 ? " runs before it" : " run before it") +
         (before.first ? ", first \"" + before.first->row.id + "\"" : std::string()) +
         (line.copies && before.live ? "; the account's other jobs run before its copies" : "");
}

// Behind those in memory and before the place, if one is given; counted up to kMaxCounted.
std::size_t Queries::rows_before(const Line& line, const std::optional<LinePlace>& place) {
  const std::string& account = line.flow->account;
  const std::string prefix = keys::line_prefix(account, line.name);
  const std::string from = line.jobs.empty()
                               ? prefix
                               : keys::line(account, line.name, line.jobs.last()->place.order,
                                            line.jobs.last()->place.seq.next());
  const std::string to =
      place ? keys::line(account, line.name, place->order, place->seq) : keys::after_prefix(prefix);
  std::size_t rows = 0;
  if (from < to) {
    core_.view.scan(
        from, to, [&](std::string_view, std::string_view) { return ++rows < Turns::kMaxCounted; });
  }
  return rows;
}

bool Queries::is_bulk_key(std::string_view key) {
  if (key.size() < 2 || key.front() != keys::kBulk) return false;
  const std::size_t bulk_at = 2 + static_cast<std::size_t>(static_cast<unsigned char>(key[1]));
  return bulk_at < key.size() &&
         key.size() == bulk_at + 1 + static_cast<unsigned char>(key[bulk_at]);
}

std::optional<std::string> Queries::walk_bulks(const std::string& after, std::string_view account,
                                               int most, const BulkFunction& function) {
  return core_.bulks.walk(after, account, most, [&](const Bulks::Progress& bulk) {
    BulkProgress progress{bulk, 0};
    const Flow* const flow = core_.scheduler.lines().find(bulk.account);
    if (flow) {
      flow->each_running([&](const LiveJob* job) {
        if (job->row.bulk_index >= 0 && job->row.bulk == bulk.id) ++progress.running;
      });
    }
    function(progress);
  });
}

std::optional<std::string> Queries::tally_accounts(const std::string& after, int max_rows,
                                                   const TallyFunction& function) {
  const std::string prefix(1, keys::kLine);
  AccountTally tally;
  std::optional<std::string> last;
  int rows = 0;
  const auto give = [&] {
    if (tally.jobs == 0) return;
    const Flow* const flow = core_.scheduler.lines().find(tally.account);
    tally.running = flow ? flow->running.size() : 0;
    function(tally);
  };
  core_.view.scan(after.empty() ? prefix : after + '\0', keys::after_prefix(prefix),
                  [&](std::string_view key, std::string_view) {
                    const std::string_view account = keys::parse_line(key).account;
                    if (account != tally.account) {
                      give();
                      tally = {std::string(account), 0, 0};
                    }
                    ++tally.jobs;
                    if (++rows < max_rows) return true;
                    last = key;
                    return false;
                  });
  give();
  return last;
}

void Queries::each_open_breaker(std::size_t most, const BreakerFunction& function) const {
  std::size_t shown = 0;
  core_.breakers.each([&](const Breaker& breaker) {
    if (breaker.is_open() && ++shown <= most) function(breaker);
  });
}

void Queries::each_used_limit(std::size_t most, const LimitFunction& function) const {
  std::size_t shown = 0;
  core_.limits.each([&](const Limit& limit) {
    if (limit.used() + limit.waiting() > 0 && ++shown <= most) function(limit);
  });
}

}  // namespace penstock
