#include "tests/consumer/task/draining.h"

#include <algorithm>

namespace penstock {
namespace {

struct LimitSpec {
  char letter;
  const char* name;
  int slots;  // 0: it has a rate instead
};
constexpr std::array kLimitSpecs = {
    LimitSpec{'a', "a/{account}", 1}, LimitSpec{'b', "b/{account}", 2},
    LimitSpec{'s', "s", 2},           LimitSpec{'t', "t", 1},
    LimitSpec{'r', "r/{account}", 0}, LimitSpec{'x', "x/{account}/{args/k}", 1},
};
constexpr char kNoLimit = 'n';

const LimitSpec& spec_of(char letter) {
  return *std::find_if(kLimitSpecs.begin(), kLimitSpecs.end(),
                       [letter](const LimitSpec& spec) { return spec.letter == letter; });
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
}

}  // namespace

// -- Types

Draining::Draining(std::uint32_t seed) : random_(seed) {
  constexpr std::array kOrders = {Order::kStrict, Order::kReady, Order::kCreated, Order::kFair,
                                  Order::kFair};
  queue.order = any_of(kOrders);
  queue.fair = chance(50) ? FairShare::kByAccount : FairShare::kFlat;
  queue.account_concurrency = 1 + below(3);
  if (chance(60)) max_live_jobs = static_cast<std::size_t>(below(12));
  std::mt19937 steps(seed * 5003 + 7);  // leaves all other chances as they are
  if (steps() % 4 == 0) bounds = {1 + steps() % 3, 1 + steps() % 3, 1 + steps() % 3};
  type_names_ = {"a", "b", "ab", "ba", "s", "t", "st", "r", "tas", "rab", "rx", "x", "xs", "n"};
  for (const std::string& name : type_names_) add_type(name);
  std::shuffle(type_names_.begin(), type_names_.end(), random_);
  type_names_.resize(kFewestTypes + static_cast<std::size_t>(below(6)));
  make();
}

LimitPolicy Draining::limit_of(char letter) {
  const LimitSpec& spec = spec_of(letter);
  if (spec.slots == 0) return limit(spec.name, std::nullopt, Rate{5, Duration(1000)}, 1);
  return limit(spec.name, spec.slots);
}

void Draining::add_type(const std::string& name) {
  TypePolicy policy;
  policy.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 2s, .jitter = 0};
  for (const char letter : name) {
    if (letter != kNoLimit) policy.limits.push_back(limit_of(letter));
  }
  policy.between_iterations = chance(50) ? BetweenIterations::kKeep : BetweenIterations::kRelease;
  if (queue.order != Order::kStrict && chance(25)) policy.max_runtime = 3s;
  if (chance(25)) policy.unique = any_unique();
  if (chance(25)) policy.batch = any_batch();
  if (name == "r") steady_rates_ = !policy.unique && !policy.batch;
  types.add(name, std::move(policy));
}

UniquePolicy Draining::any_unique() {
  constexpr std::array kScopes = {UniqueScope::kRunning, UniqueScope::kQueued,
                                  UniqueScope::kQueuedAndRunning, UniqueScope::kUntilDone};
  constexpr std::array kConflicts = {OnConflict::kDrop, OnConflict::kReplace, OnConflict::kDebounce,
                                     OnConflict::kKeepLatest, OnConflict::kDead};
  return {{parse_json_pointer("/k").value()}, any_of(kScopes), any_of(kConflicts), {}};
}

BatchPolicy Draining::any_batch() {
  BatchPolicy batch;
  batch.max = 3;
  if (chance(50)) batch.delay = 1s;
  if (chance(50)) batch.collect = Collect::kSet;
  if (chance(50)) batch.on_error = OnBatchError::kSplit;
  return batch;
}

// -- What happens

std::string Draining::run() {
  for (; step_ < kSteps && fault_.empty(); ++step_) {
    step();
    look_who_runs();
  }
  if (fault_.empty()) drain();
  return fault_;
}

void Draining::step() {
  const int what = below(100);
  if (what < 35 && step_ < kStepsWithNewJobs) return admit_one();
  if (what < 68) return start_some(chance(80) ? 1 + below(8) : kMuch);
  if (what < 83) return end_one();
  if (what < 87) return command_one();
  if (what < 89) return pause_one();
  if (what < 92) return set_one();
  if (what < 95) {
    clock += Duration(below(1500));
  } else if (what < 97) {
    exchange();
  } else if (what < 99) {
    commit();
  } else if (chance(50)) {
    die();
  }
}

void Draining::admit_one() {
  const Job job{any_of(type_names_), any_account(), std::to_string(below(3))};
  const std::string id = "j" + std::to_string(made_);
  std::string more = "\"args\":{\"k\":\"" + job.argument + "\"}";
  if (chance(25)) more += ",\"priority\":" + std::to_string(below(5) - 2);
  if (chance(25)) more += ",\"weight\":" + std::to_string(1 + below(100));
  if (chance(16)) more += ",\"run_at\":" + ms(clock + Duration(below(3000)));
  if (chance(10)) more += ",\"expires_at\":" + ms(clock + Duration(below(20'000)));
  if (chance(33)) {
    more += ",\"bulk\":{\"id\":\"B" + std::to_string(below(2)) +
            "\",\"index\":" + std::to_string(made_) + ",\"size\":1000}";
  }
  ++made_;
  jobs_[id] = job;
  job_of(job.type, job.account, id, more);
}

void Draining::start_some(int capacity) {
  const std::size_t before = host.starts.size();
  (void)start(capacity);
  for (std::size_t i = before; i < host.starts.size(); ++i)
    attempts_.push_back({host.starts[i].token, host.starts[i].id, host.starts[i].items});
  for (std::size_t i = before; i < host.starts.size(); ++i) check_start(host.starts[i]);
  const bool tiny = bounds.idle_picks < kMaxIdlePicksPerStep;
  if (capacity == kMuch && !tiny) check_rates_used();
}

OutcomeValue Draining::any_outcome() {
  switch (below(7)) {
    case 0:
      return RetryLater{"x"};
    case 1:
      return Snooze{1s};
    case 2:
    case 3:
      return NextIteration{"c"};
    case 4:
      return Interrupted{"i"};
    default:
      return Done{};
  }
}

ItemOutcomes Draining::any_items() {
  ItemOutcomes items;
  if (chance(67)) return items;
  for (int left = below(4); left > 0; --left) {
    switch (below(5)) {
      case 0:
        items.emplace_back(Done{});
        break;
      case 1:
        items.emplace_back(RetryLater{"y"});
        break;
      case 2:
        items.emplace_back(Snooze{1s});
        break;
      default:
        items.emplace_back();
    }
  }
  return items;
}

void Draining::end_one() {
  if (attempts_.empty()) return;
  const Attempt attempt = any_of(attempts_);
  if (chance(25)) task->checkpoint(attempt.token, "cp" + std::to_string(below(9)));
  OutcomeValue outcome = any_outcome();
  if (std::holds_alternative<NextIteration>(outcome)) {
    iterated_.insert(attempt.job);
    for (const AttemptItem& item : attempt.items) iterated_.insert(item.id);
  }
  task->attempt_ended(attempt.token, {std::move(outcome), {}, any_items()}, now());
}

void Draining::command_one() {
  if (made_ == 0) return;
  const std::string id = any_job();
  const std::string account = jobs_.at(id).account;
  constexpr std::array kCommands = {"cancel", "retry", "delete"};
  if (chance(75)) return command(any_of(kCommands), account, id);
  command("reschedule", account, id, "\"run_at\":" + ms(clock + Duration(below(2000))));
}

void Draining::pause_one() {
  PauseTarget target{queue.name, {}, {}};
  if (chance(50)) {
    target.account = any_account();
  } else if (chance(50)) {
    target.type = any_of(type_names_);
  }
  const bool lifted = chance(67);
  set(pause_key(target), lifted ? std::nullopt : std::optional(to_json(Pause{base(), "me"})));
}

void Draining::set_one() {
  constexpr std::array kNames = {"a/{account}", "a/u", "b/v", "s", "t", "x/u/1"};
  const bool lifted = chance(50);
  set(limit_key(any_of(kNames)),
      lifted ? std::nullopt : std::optional(to_json(LimitOverride{.slots = below(4)})));
}

// The partition and the owner of the shared limits hear each other.
void Draining::exchange() {
  task->exchange_slots({true, false, true}, now());
  commit();
  const auto reports = messages("penstock.slots");
  for (; heard_ < reports.size(); ++heard_) {
    const auto& report = reports[heard_];
    if (!reports_.insert(report.headers.at(std::string(kMessageHeader))).second) continue;
    owned_[*report.key].take(parse_slot_report(*report.value).value());
  }
  for (auto& [name, owner] : owned_) {
    std::optional<LimitOverride> strictest;
    for (const SaidLimit& said : owner.said()) {
      const LimitOverride limit = set_over(said.limit, control.limit(name, said.written));
      strictest = strictest ? stricter(*strictest, limit) : limit;
    }
    for (const Allotment::Change& change : owner.allot(slots_to_allot(*strictest), false)) {
      const SlotTarget target{change.target.version, change.target.slots, change.target.of};
      record(name, to_json(target),
             {{std::string(kSlotsHeader), "1"},
              {std::string(kMessageHeader),
               "penstock.slots/0@1>penstock.mail/0#" + std::to_string(++told_)}});
    }
  }
}

void Draining::die() {
  commit();
  task.reset();
  outbox.reset();
  attempts_.clear();
  restart();
  task->set_control(&control, now());
}

// -- Every job ends

// All pauses, and all limits or those that halt: what else is set holds nobody off for ever.
void Draining::lift() {
  const bool all = chance(50);
  std::vector<std::string> keys;
  control.each_pause([&](const std::string& key, const Pause&) { keys.push_back(key); });
  control.each_limit([&](const std::string& name, const LimitOverride& limit) {
    if (all || limit.slots == 0) keys.push_back(limit_key(name));
  });
  for (const std::string& key : keys) set(key, std::nullopt);
}

void Draining::drain() {
  lift();
  for (int i = 0; i < kDrainSteps && fault_.empty(); ++i, ++step_) {
    clock += kRateEvery;
    start_some(chance(50) ? 1 + below(8) : kMuch);
    exchange();
    for (const Token& token : task->attempts().tokens()) {
      if (chance(60)) task->attempt_ended(token, {Done{}, {}}, now());
    }
    look_who_runs();
    const bool idle = task->live_jobs() == 0 && !task->has_ready();
    if (idle && i % 16 == 15 && left().empty()) return;
  }
  if (const std::string jobs = left(); !jobs.empty()) fault("jobs that do not end:" + jobs);
}

std::string Draining::left() {
  std::string text;
  int count = 0;
  task->queries().each_job(now(), [&](const JobInfo& info) {
    if (is_terminal(info.state)) return true;
    text += "\n  " + info.row.type + "/" + info.row.account + "/" + info.row.id + " " + info.why;
    return ++count < 4;
  });
  return text;
}

// -- What is seen of limits

void Draining::look_who_runs() {
  const std::vector<Token> running = task->attempts().tokens();  // sorted
  std::erase_if(attempts_, [&](const Attempt& attempt) {
    return !std::binary_search(running.begin(), running.end(), attempt.token);
  });
}

std::string Draining::filled(char letter, const Job& job) {
  std::string name = spec_of(letter).name;
  replace(name, "{account}", job.account);
  replace(name, "{args/k}", job.argument);
  return name;
}

void Draining::check_start(const FakeTaskHost::Started& started) {
  const Job& job = jobs_.at(started.id);
  for (const char letter : job.type) {
    if (letter == kNoLimit) continue;
    spec_of(letter).slots > 0 ? check_slots(letter, job)
                              : check_rate(filled(letter, job), started.id);
  }
}

void Draining::check_slots(char letter, const Job& job) {
  const LimitSpec& spec = spec_of(letter);
  const std::string name = filled(letter, job);
  const auto set = control.limit(name, spec.name);
  const int slots = set && set->slots ? *set->slots : spec.slots;
  const auto used = std::count_if(attempts_.begin(), attempts_.end(), [&](const Attempt& attempt) {
    const Job& other = jobs_.at(attempt.job);
    return other.type.find(letter) != other.type.npos && filled(letter, other) == name;
  });
  if (used > slots)
    fault(name + " has " + std::to_string(slots) + " slots, " + std::to_string(used) + " are used");
}

// An iteration of a job that has kept its start is none of the rate, and nobody sees which has.
void Draining::check_rate(const std::string& name, const std::string& id) {
  rates_used_[name] = clock;
  if (iterated_.contains(id)) return;
  const auto [last, is_first] = rate_starts_.try_emplace(name, clock);
  if (!is_first && clock - last->second < kRateEvery) fault(name + " is too quick");
  last->second = clock;
}

// All that could start has started, so who waits for a rate alone has seen it used.
void Draining::check_rates_used() {
  if (!steady_rates_ || queue.order == Order::kStrict || control.has_pauses()) return;
  task->queries().each_job(now(), [&](const JobInfo& info) {
    const JobRow& row = info.row;
    const auto used = rates_used_.find(filled('r', jobs_.at(row.id)));
    const bool unused = used == rates_used_.end() || clock - used->second >= kRateEvery;
    const auto of_account = std::count_if(attempts_.begin(), attempts_.end(), [&](const auto& of) {
      return jobs_.at(of.job).account == row.account;
    });
    if (row.type == "r" && !is_terminal(info.state) && info.state != JobState::kRunning &&
        row.run_at <= now().wall && unused && of_account < queue.account_concurrency)
      fault("r waits for a rate that nobody uses: " + info.why);
    return true;
  });
}

}  // namespace penstock
