#include "tests/simulation/simulated_executor.h"

#include <algorithm>
#include <array>

#include "consumer/policy/error_pattern.h"
#include "tests/simulation/checks/batches/group_checks.h"
#include "tests/simulation/checks/batches/size_checks.h"
#include "tests/simulation/checks/flow/newcomer_checks.h"
#include "tests/simulation/checks/flow/weight_checks.h"
#include "tests/simulation/checks/jobs/crash_checks.h"
#include "tests/simulation/checks/jobs/error_checks.h"
#include "tests/simulation/checks/jobs/long_checks.h"
#include "tests/simulation/checks/jobs/unique_checks.h"
#include "tests/simulation/traffic.h"
#include "topics/partitioner.h"

namespace penstock::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::uint64_t kManySigns = 100;
constexpr double kDeaf = 0.3;  // of those that are killed, until kLastDeaf
// What begins by then is over when the stories begin that have times to keep.
constexpr Instant kLastSlow = kFaultsEnd - seconds(6), kLastSigns = kFaultsEnd - seconds(14);
constexpr Instant kLastDeaf = kFaultsEnd - seconds(10);

// All it has to do is succeed.
bool in_a_story(const AttemptRequest& request) {
  const std::string& account = request.account;
  return account == "bulky" || account == kStreamAccount || account == kElderAccount ||
         account == kWeightyAccount || account.starts_with(kPlainPrefix) ||
         account.starts_with(kNewcomerPrefix) || account == "heavy" ||
         account.starts_with("light") || account == kTwinAccount || account == kSizedAccount;
}

}  // namespace

SimulatedExecutor::SimulatedExecutor(const Settings& settings, SimulatedCluster& cluster,
                                     SimulatedHost& host, AttemptChecks& checks)
    : settings_(settings),
      cluster_(cluster),
      host_(host),
      checks_(checks),
      random_(settings.seed * 31 + host.index()),
      lives_(settings.seed * 37 + host.index()),
      deaf_(settings.seed * 41 + host.index()) {}

std::optional<std::chrono::nanoseconds> SimulatedExecutor::length(const AttemptRequest& request) {
  constexpr std::array kLengths = {50, 100, 200, 200, 400, 600, 1000, 2000, 7000};
  const bool late = cluster_.now() >= kFaultsEnd, sized = request.type == kSizedType;
  const auto items = item_time(cluster_.now()) * static_cast<std::int64_t>(request.items.size());
  if (late) return request.account == kSizedAccount ? items : milliseconds(100);
  if (random_.chance(0.01)) return std::nullopt;
  if (request.account == kKillerAccount) return seconds(3);
  if (request.account == kSurvivorAccount) return milliseconds(900);
  if (sized) return items;
  if (cluster_.now() < kLastSlow && lives_.chance(0.01))
    return request.timeout + lives_.between(seconds(0), seconds(4));
  return milliseconds(kLengths[random_.below(kLengths.size())]);
}

// One that takes longer than its timeout gives signs of life until it ends; one that hangs gives
// two at most.
void SimulatedExecutor::start(AttemptRequest request, Mailbox& mailbox) {
  if (checks_.starts_after_recreation(request)) return;  // the run ends soon
  checks_.started(host_.index(), request, host_.now());
  const AttemptKey key = request.key;
  const auto takes = length(request);
  Attempt attempt{std::move(request), &mailbox, ++numbers_, random_.chance(0.5), 0};
  const std::size_t hops = attempt.request.args.find("\"hops\":");
  if (hops != std::string::npos) attempt.hops = attempt.request.args[hops + 7] - '0';
  const Duration timeout = attempt.request.timeout;
  attempt.takes = takes.value_or(timeout);
  attempt.deadline = {host_.now().boot, timeout};
  const bool kills = cluster_.now() < kLastKill && checks_.kills(attempt.request);
  const bool checkpoints = iterates(attempt.request.type) && random_.chance(0.4);
  attempts_.emplace(key, std::move(attempt));
  const std::uint64_t number = numbers_;
  if (takes) host_.after(*takes, [this, key, number] { finish(key, number, false); });
  if (!takes || *takes >= timeout) {
    const std::uint64_t few = cluster_.now() < kLastSigns ? lives_.below(3) : 0;
    live_on(key, number, takes ? kManySigns : few);
    watch(key, number);
  }
  if (kills) kill_process(key, number);
  if (checkpoints)
    host_.after(attempts_.at(key).takes / 2, [this, key, number] { checkpoint(key, number); });
}

SimulatedExecutor::Attempt* SimulatedExecutor::find(const AttemptKey& key, std::uint64_t number) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.number != number) return nullptr;
  return found->second.runs_on ? nullptr : &found->second;
}

void SimulatedExecutor::live_on(const AttemptKey& key, std::uint64_t number, std::uint64_t signs) {
  if (signs == 0) return;
  host_.after(lives_.between(seconds(3), seconds(8)), [this, key, number, signs] {
    Attempt* const attempt = find(key, number);
    if (!attempt) return;
    attempt->deadline.alive(host_.now().boot);
    checks_.alive(host_.index(), key);
    attempt->mailbox->post(Heartbeat{key});
    live_on(key, number, signs - 1);
  });
}

void SimulatedExecutor::watch(const AttemptKey& key, std::uint64_t number) {
  const Attempt* const attempt = find(key, number);
  if (!attempt) return;
  if (attempt->deadline.is_over(host_.now().boot)) return time_out(key);
  const auto left = attempt->deadline.at() - host_.now().boot;
  host_.after(left > milliseconds(0) ? left : seconds(1),
              [this, key, number] { watch(key, number); });
}

void SimulatedExecutor::time_out(const AttemptKey& key) {
  const auto found = attempts_.find(key);
  const Attempt attempt = std::move(found->second);
  attempts_.erase(found);
  checks_.timed_out(host_.index(), key);
  checks_.hidden(host_.index(), key, attempt.request.account);
  const RetryLater failed{"timed out", {}, std::string(kTimeoutError)};
  checks_.outcome(attempt.request, failed, {}, host_.now());
  checks_.measured(attempt.request, attempt.request.timeout);
  attempt.mailbox->post(AttemptEnded{key, failed, {}});
}

// When it has left a cursor, if it leaves any.
void SimulatedExecutor::kill_process(const AttemptKey& key, std::uint64_t number) {
  if (lives_.chance(0.5)) host_.after(milliseconds(300), [=, this] { checkpoint(key, number); });
  cluster_.at(cluster_.now() + milliseconds(600), [this, key, number] {
    if (!host_.up() || !find(key, number)) return;
    host_.crash();
    cluster_.at(cluster_.now() + seconds(1), [this] { host_.restart(); });
  });
}

std::string SimulatedExecutor::new_cursor(const AttemptKey& key) {
  return "\"" + key.token.text() + "/" + std::to_string(++cursors_) + "\"";
}

void SimulatedExecutor::checkpoint(const AttemptKey& key, std::uint64_t number) {
  const auto found = attempts_.find(key);
  if (!find(key, number)) return;
  const std::string cursor = new_cursor(key);
  found->second.deadline.alive(host_.now().boot);
  checks_.alive(host_.index(), key);
  const bool asks = random_.chance(0.3) && cluster_.now() < kFaultsEnd;
  checks_.checkpoint(found->second.request, cursor, asks);
  Checkpoint said{key, cursor};
  if (asks) {
    checks_.asks(found->second.request, 1);
    FollowUp job;
    job.record = "{\"type\":\"work\",\"args\":{\"from\":\"" + key.token.text() +
                 "\",\"with\":" + cursor + "}}";
    said.enqueue.push_back(std::move(job));
  }
  found->second.mailbox->post(std::move(said));
}

void SimulatedExecutor::request_stop(const AttemptKey& key) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || !found->second.obeys) return;
  host_.after(milliseconds(20),
              [this, key, number = found->second.number] { finish(key, number, true); });
}

void SimulatedExecutor::kill(const AttemptKey& key) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end()) return checks_.unheard(key);
  if (found->second.runs_on) return;
  checks_.killed(found->second.request);
  if (cluster_.now() < kLastDeaf && deaf_.chance(kDeaf)) return run_on(found->second);
  checks_.hidden(host_.index(), key, found->second.request.account);
  attempts_.erase(found);
}

void SimulatedExecutor::run_on(Attempt& attempt) {
  attempt.runs_on = true;
  const AttemptKey key = attempt.request.key;
  const auto left = attempt.deadline.at() - host_.now().boot;
  host_.after(std::max<std::chrono::nanoseconds>(left, milliseconds(1)),
              [this, key, number = attempt.number] { stop_running_on(key, number); });
}

// Its work is done, or its time is over: from then on it may overlap with its retry.
void SimulatedExecutor::stop_running_on(const AttemptKey& key, std::uint64_t number) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.number != number) return;
  checks_.hidden(host_.index(), key, found->second.request.account);
  attempts_.erase(found);
}

bool SimulatedExecutor::still_runs(const AttemptKey& key) const {
  const auto found = attempts_.find(key);
  return found != attempts_.end() && found->second.runs_on;
}

OutcomeValue SimulatedExecutor::choose(const Attempt& attempt) {
  const bool late = cluster_.now() >= kFaultsEnd;
  if (!settings_.retries || in_a_story(attempt.request)) {
    return Done{};
  }
  if (attempt.request.account == kKillerAccount)
    return late ? OutcomeValue(Done{}) : Snooze{Duration(200)};
  if (attempt.request.account == kSurvivorAccount)
    return late ? OutcomeValue(Done{}) : NextIteration{new_cursor(attempt.request.key)};
  if (attempt.request.account == kShakenAccount) {
    if (cluster_.now() < kShakenFails) return RetryLater{"it is down", std::nullopt};
    if (cluster_.now() < kShakenUntil) return Snooze{Duration(500)};
    return Done{};
  }
  if (attempt.request.type == kShakyType && !late && random_.chance(0.6))
    return RetryLater{"it is down", std::nullopt};
  if (const ErrorType* const type = error_type(attempt.request.type);
      type && !late && random_.chance(0.6)) {
    return RetryLater{"it failed", std::nullopt,
                      std::string(type->errors[random_.below(type->errors.size())].first)};
  }
  if (iterates(attempt.request.type) && random_.chance(late ? 0.1 : 0.6)) {
    return NextIteration{new_cursor(attempt.request.key)};
  }
  if (attempt.request.type == kLedType && random_.chance(late ? 0.1 : 0.6)) {
    if (random_.chance(0.5)) return RetryLater{"it failed", std::nullopt};
    return NextIteration{new_cursor(attempt.request.key)};
  }
  const std::uint64_t chance = random_.below(late ? 400 : 100);
  if (chance < 14) return RetryLater{"it failed", std::nullopt};
  if (chance < 17) return RetryLater{"it failed", Duration(700)};
  if (chance < 22) return Snooze{Duration(static_cast<std::int64_t>(random_.below(2500)))};
  if (chance < 29 && iterates(attempt.request.type))
    return NextIteration{new_cursor(attempt.request.key)};
  if (chance < 29) return NextIteration{"{\"at\":" + std::to_string(chance) + "}"};
  if (chance < 32) return Discard{"not wanted"};
  if (chance < 34) return CancelJob{"not wanted any more"};
  return Done{};
}

// Of some batches some items have an answer of their own.
ItemOutcomes SimulatedExecutor::choose_items(const Attempt& attempt) {
  ItemOutcomes items;
  const bool late = cluster_.now() >= kFaultsEnd;
  if (attempt.request.type == kLedType) return items;
  if (attempt.request.items.empty() || !settings_.retries || late || random_.chance(0.5))
    return items;
  for (std::size_t i = 0; i < attempt.request.items.size(); ++i) {
    std::optional<OutcomeValue>& item = items.emplace_back();
    const std::uint64_t chance = random_.below(100);
    if (chance < 20) item = RetryLater{"this one failed", std::nullopt};
    if (chance >= 20 && chance < 30) item = Snooze{Duration(800)};
    if (chance >= 30 && chance < 35) item = Discard{"not wanted"};
    if (chance >= 35 && chance < 60) item = Done{};
  }
  return items;
}

std::vector<FollowUp> SimulatedExecutor::follow_ups(const Attempt& attempt) {
  std::vector<FollowUp> jobs;
  if (attempt.hops <= 0) return jobs;
  for (std::uint64_t i = random_.below(3); i > 0; --i) {
    FollowUp job;
    if (random_.chance(0.7)) job.account = account(random_.below(kAccounts));
    std::string id;
    if (random_.chance(0.3))
      id = ",\"id\":\"" + attempt.request.id + "+" + std::to_string(i) + "\"";
    job.record = "{\"type\":\"work\"" + id +
                 ",\"args\":{\"hops\":" + std::to_string(attempt.hops - 1) + ",\"from\":\"" +
                 attempt.request.key.token.text() + "\"}}";
    jobs.push_back(std::move(job));
  }
  return jobs;
}

// Another one of the key comes at the moment at which the holder is over.
void SimulatedExecutor::race(const AttemptRequest& request) {
  if (cluster_.now() >= kFaultsEnd || request.id.size() > 40 || !random_.chance(0.4)) return;
  // That of a copy is not that of the copy of what the original has called.
  const std::string id = request.id + (request.replay.empty() ? "~" : "~~");
  const std::string k(1, request.args[request.args.find("\"k\":") + 4]);
  cluster_.append(names().topic(), partition_of(request.account, settings_.queue.partitions),
                  {request.account,
                   "{\"type\":\"" + request.type + "\",\"id\":\"" + id + "\",\"args\":{\"k\":" + k +
                       ",\"me\":\"" + id + "\"}}",
                   {}});
}

void SimulatedExecutor::finish(const AttemptKey& key, std::uint64_t number, bool stopped) {
  const auto found = attempts_.find(key);
  if (found == attempts_.end() || found->second.number != number) return;
  if (found->second.runs_on) return stop_running_on(key, number);
  if (stopped && iterates(found->second.request.type)) checkpoint(key, number);
  const Attempt attempt = std::move(found->second);
  attempts_.erase(found);
  checks_.hidden(host_.index(), key, attempt.request.account);
  OutcomeValue outcome = stopped ? OutcomeValue(Interrupted{"the worker stops"}) : choose(attempt);
  const bool produces =
      std::holds_alternative<Done>(outcome) || std::holds_alternative<NextIteration>(outcome);
  ItemOutcomes items;
  if (!stopped) items = choose_items(attempt);
  checks_.outcome(attempt.request, outcome, items, host_.now());
  std::vector<FollowUp> jobs;
  if (produces) jobs = follow_ups(attempt);
  if (!jobs.empty()) checks_.asks(attempt.request, jobs.size());
  if (unique_type(attempt.request.type)) race(attempt.request);
  const bool sized = attempt.request.type == kSizedType;
  if (sized && std::holds_alternative<Done>(outcome))
    checks_.measured(attempt.request, attempt.takes);
  AttemptEnded ended{key, std::move(outcome), std::move(jobs), std::move(items)};
  if (sized) ended.took = std::chrono::duration_cast<std::chrono::microseconds>(attempt.takes);
  attempt.mailbox->post(std::move(ended));
}

std::vector<InFlight> SimulatedExecutor::in_flight() const {
  std::vector<InFlight> jobs;
  for (const auto& [key, attempt] : attempts_) {
    if (attempt.runs_on) continue;  // its owner has taken it out
    for (const std::string& id : ids_of(attempt.request)) {
      jobs.push_back({attempt.request.queue, attempt.request.account, id});
    }
  }
  return jobs;
}

void SimulatedExecutor::outlive(const Outlives& until) {
  if (is_paused_) return;  // all of it is hidden already
  for (auto at = attempts_.begin(); at != attempts_.end();) {
    const auto& [key, attempt] = *at;
    const auto end = attempt.runs_on ? std::nullopt : until(key);
    if (!end || attempt.deadline.is_over(host_.now().boot + (*end - cluster_.now()))) {
      ++at;
      continue;
    }
    cluster_.at(*end, [this, key = key, account = attempt.request.account] {
      checks_.hidden(host_.index(), key, account);
    });
    at = attempts_.erase(at);
  }
}

void SimulatedExecutor::process_ended() {
  paused();
  attempts_.clear();
  is_paused_ = false;
}

void SimulatedExecutor::paused() {
  is_paused_ = true;
  for (const auto& [key, attempt] : attempts_) {
    checks_.hidden(host_.index(), key, attempt.request.account);
  }
}

void SimulatedExecutor::resumed() {
  is_paused_ = false;
  for (const auto& [key, attempt] : attempts_) {
    if (attempt.runs_on) continue;  // for a moment: past its lease its process exits now
    checks_.shown_again(host_.index(), key, attempt.request.account);
  }
}

}  // namespace penstock::simulation
