#include "cli/demo/demo_findings.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "cli/demo/fifo_line.h"

namespace penstock {
namespace {

using std::chrono::nanoseconds;
using Identity = std::pair<std::string, std::string>;  // account and id

// The worker counts in whole milliseconds, at the time of the pass that processes an outcome.
constexpr nanoseconds kClockGrain = std::chrono::milliseconds(2);

// The sends and the runs of the story, matched with each other.
class Story {
 public:
  explicit Story(const DemoTold& story) : told(story), sends(story.sends), runs(story.runs) {
    for (const DemoRun& run : runs) runs_of[{run.account, run.id}].push_back(&run);
  }

  [[nodiscard]] const DemoRun* first_run(const DemoSend& send) const {
    const auto found = runs_of.find({send.account, send.id});
    return found == runs_of.end() ? nullptr : found->second.front();
  }
  // Nothing runs before the gate is open.
  [[nodiscard]] DemoTime waits_from(const DemoSend& send) const {
    return std::max(send.at, told.opened);
  }
  [[nodiscard]] std::vector<const DemoRun*> all_runs(const Identity& identity) const {
    const auto found = runs_of.find(identity);
    return found == runs_of.end() ? std::vector<const DemoRun*>() : found->second;
  }

  const DemoTold& told;
  const std::vector<DemoSend>& sends;
  const std::vector<DemoRun>& runs;
  std::map<Identity, std::vector<const DemoRun*>> runs_of;  // in the order of their starts
};

bool is_other(const DemoSend& send) { return send.account.starts_with("account-"); }

DemoWaits summary(std::vector<nanoseconds> waits) {
  if (waits.empty()) return {};
  std::sort(waits.begin(), waits.end());
  return {waits.front(), waits[waits.size() / 2], waits.back()};
}

DemoWaits measured_waits(const Story& story) {
  std::vector<nanoseconds> waits;
  for (const DemoSend& send : story.sends) {
    const DemoRun* const run = story.first_run(send);
    if (is_other(send) && !send.repeat && run)
      waits.push_back(run->started - story.waits_from(send));
  }
  return summary(std::move(waits));
}

DemoWaits waits_in_a_fifo_queue(const Story& story) {
  std::vector<FifoJob> line;
  std::vector<bool> other;
  for (const DemoSend& send : story.sends) {
    const DemoRun* const run = story.first_run(send);
    if (send.repeat || !run) continue;
    line.push_back({story.waits_from(send) - story.sends.front().at, run->ended - run->started});
    other.push_back(is_other(send));
  }
  const auto all = fifo_waits(line, story.told.scale.places);
  std::vector<nanoseconds> waits;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (other[i]) waits.push_back(all[i]);
  }
  return summary(std::move(waits));
}

// By order, not by the clock: every job was admitted before the first one ran, so a slow machine
// delays all of them in the same way.
DemoClaim fair(const Story& story, const DemoFindings& findings) {
  const DemoRun* last = nullptr;
  std::size_t others = 0;
  for (const DemoSend& send : story.sends) {
    const DemoRun* const run = story.first_run(send);
    if (!is_other(send) || send.repeat || !run) continue;
    ++others;
    if (!last || last->started < run->started) last = run;
  }
  const auto noisy = static_cast<std::size_t>(
      std::count_if(story.runs.begin(), story.runs.end(), [&](const DemoRun& run) {
        return last && run.account == kNoisyAccount && run.started < last->started;
      }));
  return {"fair", last && noisy <= others,
          "By the time that the last of the others' " + grouped(others) + " jobs began, " +
              kNoisyAccount + " had begun " + grouped(noisy) + " of its " +
              grouped(story.told.scale.noisy_jobs) +
              "; a FIFO queue would have begun all of them first. The others waited " +
              in_ms(findings.measured.median) + ", and would have waited " +
              in_ms(findings.fifo.median) + " there."};
}

DemoClaim nothing_lost(const Story& story) {
  std::size_t jobs = 0, acknowledged = 0, succeeded = 0;
  for (const DemoSend& send : story.sends) {
    if (send.repeat) continue;
    ++jobs;
    if (send.acknowledged) ++acknowledged;
    const auto runs = story.all_runs({send.account, send.id});
    if (std::count_if(runs.begin(), runs.end(),
                      [](const DemoRun* run) { return run->succeeded; }) == 1) {
      ++succeeded;
    }
  }
  return {"complete", jobs == acknowledged && jobs == succeeded,
          grouped(jobs) + " jobs were sent, " + grouped(acknowledged) + " acknowledged, " +
              grouped(succeeded) + " succeeded exactly once."};
}

DemoClaim once(const Story& story) {
  std::size_t repeats = 0, extra = 0;
  for (const DemoSend& send : story.sends) {
    if (!send.repeat) continue;
    ++repeats;
    extra += story.all_runs({send.account, send.id}).size() - 1;
  }
  const std::uint64_t duplicates = story.told.duplicates;
  return {"once", extra == 0 && duplicates == repeats,
          grouped(repeats) + " jobs were sent a second time with the same id: " +
              grouped(duplicates) + " ended as duplicates, " + grouped(extra) + " ran again."};
}

// By token, because the handlers of one account run in parallel here, and a token is assigned at
// the start.
DemoClaim in_order(const Story& story) {
  std::map<std::string, std::string> last_token;
  std::size_t jobs = 0, overtaken = 0;
  for (const DemoSend& send : story.sends) {
    const DemoRun* const run = story.first_run(send);
    if (send.repeat || !run || send.id == story.told.flaky_id) continue;
    ++jobs;
    std::string& last = last_token[send.account];
    if (run->token <= last) ++overtaken;
    last = std::max(last, run->token);
  }
  return {"order", overtaken == 0,
          "Of " + grouped(jobs) + " jobs of " + grouped(last_token.size()) + " accounts, " +
              grouped(overtaken) + " began out of their account's order."};
}

DemoClaim retried(const Story& story) {
  const auto runs = story.all_runs({kFlakyAccount, story.told.flaky_id});
  bool held = runs.size() == kDemoFailures + 1 && runs.back()->succeeded;
  std::string gaps;
  Duration backoff = story.told.scale.backoff;
  for (std::size_t i = 1; i < runs.size(); ++i, backoff *= 2) {
    const nanoseconds gap = runs[i]->started - runs[i - 1]->ended;
    held = held && runs[i]->attempt == static_cast<int>(i) + 1 && gap + kClockGrain >= backoff;
    gaps += (gaps.empty() ? "" : " and ") + in_ms(gap) + " (" + in_ms(backoff) + " asked for)";
  }
  return {"retry", held,
          std::string("A job of ") + kFlakyAccount + " ran " + grouped(runs.size()) +
              " times, again after " + gaps + ", and " +
              (runs.empty() || !runs.back()->succeeded ? "did not succeed." : "succeeded.")};
}

DemoClaim not_held_up(const Story& story) {
  const auto flaky = story.all_runs({kFlakyAccount, story.told.flaky_id});
  const DemoRun* next = nullptr;
  for (const DemoRun& run : story.runs) {
    if (run.account == kFlakyAccount && run.id != story.told.flaky_id) next = &run;
  }
  const bool held = next && flaky.size() > 1 && next->started < flaky[1]->started;
  return {"unblocked", held,
          std::string(kFlakyAccount) + "'s next job, of another type, began " +
              (held ? in_ms(flaky[1]->started - next->started) + " before that first retry."
                    : "only after that first retry.")};
}

DemoClaim scheduled(const Story& story) {
  const auto runs = story.all_runs({kLaterAccount, story.told.later_id});
  if (runs.empty()) return {"scheduled", false, "The job for later never ran."};
  const nanoseconds late = runs.front()->wall_started - story.told.run_at;
  return {"scheduled", late >= nanoseconds::zero(),
          std::string(kLaterAccount) + " asked for a job " + in_ms(story.told.scale.later) +
              " later; it began " + in_ms(std::max(late, -late)) +
              (late >= nanoseconds::zero() ? " after its time." : " too early.")};
}

}  // namespace

bool DemoFindings::all_held() const {
  return std::all_of(claims.begin(), claims.end(),
                     [](const DemoClaim& claim) { return claim.held; });
}

DemoFindings judge(const DemoTold& told) {
  const Story story(told);
  DemoFindings findings;
  findings.measured = measured_waits(story);
  findings.fifo = waits_in_a_fifo_queue(story);
  findings.claims = {fair(story, findings), nothing_lost(story), once(story),     in_order(story),
                     retried(story),        not_held_up(story),  scheduled(story)};
  return findings;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string in_ms(nanoseconds time) {
  constexpr nanoseconds kOne = std::chrono::milliseconds(1);
  if (time >= 10 * kOne || time % kOne == nanoseconds::zero()) {
    return grouped(static_cast<std::uint64_t>((time + kOne / 2) / kOne)) + " ms";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(time.count()) / 1e6);
  return text;
}

}  // namespace penstock
