#include "tests/simulation/traffic.h"

#include <array>

#include "consumer/control/control.h"
#include "state/log/log_entry.h"
#include "tests/simulation/checks/batches/batch_checks.h"
#include "tests/simulation/checks/batches/group_checks.h"
#include "tests/simulation/checks/batches/size_checks.h"
#include "tests/simulation/checks/flow/breaker_checks.h"
#include "tests/simulation/checks/flow/limit_checks.h"
#include "tests/simulation/checks/flow/newcomer_checks.h"
#include "tests/simulation/checks/flow/shared_checks.h"
#include "tests/simulation/checks/flow/shared_rate_checks.h"
#include "tests/simulation/checks/flow/weight_checks.h"
#include "tests/simulation/checks/jobs/crash_checks.h"
#include "tests/simulation/checks/jobs/error_checks.h"
#include "tests/simulation/checks/jobs/long_checks.h"
#include "tests/simulation/checks/jobs/unique_checks.h"
#include "topics/partitioner.h"

namespace penstock::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr int kShakenJobs = 10;

}  // namespace

std::string account(std::uint64_t number) { return "acct-" + std::to_string(number); }

Traffic::Traffic(const Settings& settings, SimulatedCluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      random_(settings.seed * 17 + 5),
      sizes_(settings.seed * 19 + 7) {}

void Traffic::start() {
  cluster_.at(Instant(seconds(1)), [this] { next(); });
  cluster_.at(kQuietAt, [this] { quiet_story(); });
  if (settings_.shared) cluster_.at(Instant(seconds(7)), [this] { set_shared(); });
  if (settings_.limits && settings_.set_limits) set_local();
  if (settings_.killer || settings_.survivor)
    cluster_.at(Instant(seconds(2)), [this] { killing_story(); });
  if (settings_.batches && !settings_.limits)  // whose stories have times to keep
    cluster_.at(kFaultsEnd + seconds(5), [this] { sized_story(); });
  if (settings_.oversized) {
    // Kafka's limits count compressed batches: both have passed the topic's.
    cluster_.at(Instant(seconds(9)), [this] { oversized(kMaxCommitBytes + (1 << 20)); });
    cluster_.at(Instant(seconds(30)), [this] { oversized(3 << 20); });
  }
  if (settings_.twins) cluster_.at(kFaultsEnd + seconds(1), [this] { twin("first"); });
  if (settings_.limits) {
    cluster_.at(kQuietAt - seconds(8), [this] {
      paused_story();
      shaken_story();
    });
  }
}

void Traffic::next() {
  for (std::uint64_t burst = random_.chance(0.1) ? 5 : 1; burst > 0; --burst) one();
  const Instant then = cluster_.now() + random_.between(milliseconds(100), milliseconds(1100));
  if (then < kFaultsEnd) cluster_.at(then, [this] { next(); });
}

void Traffic::one() {
  if (settings_.limits && random_.chance(0.15)) return limited();
  if (settings_.batches && random_.chance(0.25)) return gathered();
  if (settings_.unique && random_.chance(0.25)) return unique_ones();
  if (settings_.shared && random_.chance(0.25)) return shared();
  if (settings_.errors && random_.chance(0.2)) return failing();
  if (settings_.long_jobs && random_.chance(0.3)) return iterating();
  const std::uint64_t chance = random_.below(100);
  if (chance < 8) return bulk();
  if (chance < 14)
    return job(",\"priority\":" + std::to_string(static_cast<int>(random_.below(5)) - 2));
  if (chance < 48 || known_.empty()) return job("");
  if (chance < 58) return job(",\"run_at\":" + in_ms(300, 7000));
  if (chance < 64) return job(",\"expires_at\":" + in_ms(200, 4000));
  if (chance < 66)
    return job(",\"run_at\":" + in_ms(300, 2000) + ",\"expires_at\":" + in_ms(2000, 4000));
  if (chance < 75) return repeat();
  if (chance < 80) return command("cancel", "");
  if (chance < 84) return command("retry", "");
  if (chance < 86) return command("delete", "");
  if (chance < 89) return command("reschedule", ",\"run_at\":" + in_ms(-1000, 5000));
  if (chance < 93) return rubbish();
  if (chance < 97) return job("", true);
  append(account(random_.below(kAccounts)), "{\"type\":\"work\"}");  // no id
}

std::string Traffic::in_ms(std::int64_t least, std::int64_t most) {
  const auto spread =
      static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least)));
  return std::to_string(to_ms(cluster_.wall()) + least + spread);
}

void Traffic::job(const std::string& more, bool misrouted) {
  const Known known{account(random_.below(kAccounts)), "j" + std::to_string(++ids_)};
  const std::string hops = std::to_string(random_.below(3));
  append(known.account,
         "{\"type\":\"work\",\"id\":\"" + known.id + "\",\"args\":{\"hops\":" + hops + "}" + more +
             "}",
         misrouted);
  known_.push_back(known);
}

// Its chunks come one after the other or in a burst, some for later, one perhaps as two jobs or
// never.
void Traffic::bulk() {
  const std::string owner = account(random_.below(kAccounts));
  const std::string name = "bulk-" + std::to_string(++bulks_);
  const std::uint64_t size = 1 + random_.below(5);
  const std::string weight = ",\"weight\":" + std::to_string(1 + random_.below(4));
  const bool burst = random_.chance(0.5), broken = random_.chance(0.1);
  const std::uint64_t twice = random_.chance(0.3) ? random_.below(size) : size;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (broken && i + 1 == size) return;
    std::string more = weight;
    if (random_.chance(0.4))
      more += ",\"priority\":" + std::to_string(static_cast<int>(random_.below(5)) - 2);
    if (random_.chance(0.15)) more += ",\"run_at\":" + in_ms(300, 3000);
    if (random_.chance(0.15)) more += ",\"expires_at\":" + in_ms(500, 5000);
    const std::string id = name + "/" + std::to_string(i);
    const auto later =
        burst ? milliseconds(0) : random_.between(milliseconds(0), milliseconds(4000));
    cluster_.at(cluster_.now() + later, [=, this] {
      chunk(owner, name, i, size, id, more);
      if (i == twice) chunk(owner, name, i, size, id + "again", weight);
    });
  }
}

void Traffic::chunk(const std::string& account, const std::string& bulk, std::uint64_t index,
                    std::uint64_t size, const std::string& id, const std::string& more) {
  append(account,
         "{\"type\":\"work\",\"id\":\"" + id + "\"" + more + ",\"bulk\":{\"id\":\"" + bulk +
             "\",\"index\":" + std::to_string(index) + ",\"size\":" + std::to_string(size) +
             ",\"on_done\":{\"type\":\"work\",\"args\":{\"of\":\"" + bulk + "\"}}}}",
         random_.chance(0.05));
  if (account != kTwinAccount) known_.push_back({account, id});  // no command names those
}

// A few jobs of one account at once, so that they need what their limit has.
void Traffic::limited() {
  const std::string of = account(random_.below(kAccounts));
  constexpr std::array kTypes = {kSlowType, kPacedType, kShakyType};
  const std::string type(kTypes[random_.below(kTypes.size())]);
  for (int i = 0; i < 4; ++i) {
    const Known known{of, "j" + std::to_string(++ids_)};
    append(of, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\"}");
    known_.push_back(known);
  }
}

// A few jobs of one account that may be handed over together; no command names one that may be
// folded.
void Traffic::gathered() {
  if (sizes_.chance(0.2)) return sized();
  if (random_.chance(0.3)) return led();
  const std::string of = account(random_.below(kAccounts));
  const bool set = random_.chance(0.4);
  const std::string type(set ? kMergedType : kGatheredType);
  for (std::uint64_t i = 1 + random_.below(6); i > 0; --i) {
    const Known known{of, "j" + std::to_string(++ids_)};
    std::string more;
    if (set) more = ",\"args\":{\"x\":" + std::to_string(random_.below(3)) + "}";
    if (!set && random_.chance(0.1)) more = ",\"expires_at\":" + in_ms(300, 3000);
    append(of, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\"" + more + "}");
    if (!set) known_.push_back(known);
  }
}

// Jobs of which as many are handed over as should take a while.
void Traffic::sized() {
  const std::string of = account(sizes_.below(kAccounts));
  for (std::uint64_t left = 1 + sizes_.below(12); left > 0; --left) {
    append(of, "{\"type\":\"" + std::string(kSizedType) + "\",\"id\":\"j" + std::to_string(++ids_) +
                   "\"}");
  }
}

void Traffic::sized_story() {
  for (int i = 0; i < kSizedJobs; ++i) {
    append(std::string(kSizedAccount),
           "{\"type\":\"" + std::string(kSizedType) + "\",\"id\":\"" + std::to_string(i) + "\"}");
  }
}

// A long job that is in flight at one death after the other.
void Traffic::killing_story() {
  append(std::string(settings_.killer ? kKillerAccount : kSurvivorAccount),
         "{\"type\":\"" + std::string(kLongType) + "\",\"id\":\"one\"}");
}

void Traffic::twin(const std::string& name) {
  for (std::uint64_t i = 0; i < 3; ++i)
    chunk(std::string(kTwinAccount), "twin", i, 3, name + "-" + std::to_string(i), "");
}

// A few jobs that are handed over together and go on together, in an order that is not that of
// their admission.
void Traffic::led() {
  const std::string of = account(random_.below(kAccounts));
  for (std::uint64_t i = 2 + random_.below(4); i > 0; --i) {
    const Known known{of, "j" + std::to_string(++ids_)};
    std::string more = ",\"priority\":" + std::to_string(random_.below(3));
    if (random_.chance(0.5)) more += ",\"run_at\":" + in_ms(0, 800);
    append(of, "{\"type\":\"" + std::string(kLedType) + "\",\"id\":\"" + known.id +
                   "\",\"args\":{\"k\":" + std::to_string(random_.below(8)) + "}" + more + "}");
    known_.push_back(known);
  }
}

// When all faults are over: one comes after the other, always before the delay is over.
void Traffic::stream_story() {
  for (Duration after{0}; after < kStreamLasts; after += kStreamEvery) {
    cluster_.at(cluster_.now() + after, [this, n = after / kStreamEvery] {
      append(std::string(kStreamAccount), "{\"type\":\"" + std::string(kStreamType) +
                                              "\",\"id\":\"s" + std::to_string(n) + "\"}");
    });
  }
}

// A few jobs of one key, at once or one after the other; some are deleted soon.
void Traffic::unique_ones() {
  const std::string of = account(random_.below(2));
  const std::string type(kUniqueTypes[random_.below(std::size(kUniqueTypes))].name);
  const std::string k = std::to_string(random_.below(2));
  for (std::uint64_t left = 1 + random_.below(4); left > 0; --left) {
    const Known known{of, "j" + std::to_string(++ids_)};
    const std::string more = type == "calm" ? ",\"run_at\":" + in_ms(200, 1500) : "";
    const auto later = random_.chance(0.5) ? milliseconds(0)
                                           : random_.between(milliseconds(0), milliseconds(1500));
    cluster_.at(cluster_.now() + later, [=, this] {
      append(of, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\",\"args\":{\"k\":" + k +
                     ",\"me\":\"" + known.id + "\"}" + more + "}");
    });
    known_.push_back(known);
    if (!random_.chance(0.15)) continue;
    cluster_.at(cluster_.now() + later + random_.between(milliseconds(0), milliseconds(1000)),
                [=, this] { append(of, "{\"op\":\"delete\",\"id\":\"" + known.id + "\"}"); });
  }
}

// One that fails with this or that.
void Traffic::failing() {
  const Known known{account(random_.below(kAccounts)), "j" + std::to_string(++ids_)};
  const std::string type(kErrorTypes[random_.below(std::size(kErrorTypes))].name);
  append(known.account, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\"}");
  known_.push_back(known);
}

// A few jobs of one account, some of which go on in iterations, and some that are waiting for them.
void Traffic::iterating() {
  const std::string of = account(random_.below(kAccounts));
  constexpr std::array kTypes = {kLongType, kHolderType, kTakerType, kType};
  for (std::uint64_t left = 2 + random_.below(4); left > 0; --left) {
    const Known known{of, "j" + std::to_string(++ids_)};
    const std::string type(kTypes[random_.below(kTypes.size())]);
    append(of, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\"}");
    known_.push_back(known);
  }
}

// A few jobs of several accounts at once.
void Traffic::shared() {
  const bool lane = settings_.lanes && random_.chance(0.5);
  const std::string type(lane ? kLaneType : random_.chance(0.7) ? kPoolType : kPairType);
  for (std::uint64_t left = 1 + random_.below(6); left > 0; --left) {
    const Known known{account(random_.below(kAccounts)), "j" + std::to_string(++ids_)};
    append(known.account, "{\"type\":\"" + type + "\",\"id\":\"" + known.id + "\"}");
    known_.push_back(known);
  }
}

// Now and then somebody sets a limit, and in the end the configuration stands.
void Traffic::set_shared() {
  const bool last = cluster_.now() >= kFaultsEnd;
  for (const char* const name : {"pool", "gate"}) {
    constexpr std::array kSlots = {0, 1, 2, 5};
    const std::string value =
        "{\"slots\":" + std::to_string(kSlots[random_.below(kSlots.size())]) + "}";
    if (!last && random_.chance(0.3)) continue;
    const bool reset = last || random_.chance(0.2);
    const std::string key = limit_key(name);
    cluster_.append(control_topic(kPrefix), 0,
                    {key, reset ? std::nullopt : std::optional<std::string_view>(value), {}});
  }
  if (!last)
    cluster_.at(cluster_.now() + random_.between(seconds(3), seconds(12)),
                [this] { set_shared(); });
}

// Now and then somebody sets a limit of an account: to more, then to less, and back.
void Traffic::set_local() {
  const auto set = [this](Instant when, std::optional<int> slots) {
    cluster_.at(when, [this, slots] {
      const std::string value = slots ? "{\"slots\":" + std::to_string(*slots) + "}" : "";
      cluster_.append(control_topic(kPrefix), 0,
                      {limit_key(kSlowLimit),
                       slots ? std::optional<std::string_view>(value) : std::nullopt,
                       {}});
    });
  };
  set(Instant(seconds(7)), 2);
  set(Instant(seconds(22)), 0);
  set(kFaultsEnd, std::nullopt);
}

// When all faults are over: a queue, a type of it or an account is paused, an account's jobs come,
// and it is resumed.
void Traffic::paused_story() {
  const std::string of(kHaltedAccount);
  const PauseTarget targets[] = {{std::string(kQueue)},
                                 {std::string(kQueue), std::string(kSlowType)},
                                 {std::string(kQueue), {}, of}};
  const std::string key = pause_key(targets[random_.below(std::size(targets))]);
  cluster_.append(control_topic(kPrefix), 0, {key, "{}", {}});
  cluster_.at(cluster_.now() + kHeardWithin, [this, of] {
    for (const std::string_view type : {kType, kSlowType}) {
      for (const char* const n : {"1", "2"})
        append(of,
               "{\"type\":\"" + std::string(type) + "\",\"id\":\"" + std::string(type) + n + "\"}");
    }
  });
  cluster_.at(cluster_.now() + kHeardWithin + seconds(4), [this, key] {
    cluster_.append(control_topic(kPrefix), 0, {key, std::nullopt, {}});
  });
}

// At the same time: what an account's jobs need is down for a while.
void Traffic::shaken_story() {
  for (int i = 0; i < kShakenJobs; ++i) {
    append(std::string(kShakenAccount),
           "{\"type\":\"" + std::string(kShakyType) + "\",\"id\":\"s" + std::to_string(i) + "\"}");
  }
}

const Traffic::Known& Traffic::recent() {
  const std::uint64_t back = random_.below(std::min<std::uint64_t>(known_.size(), 30));
  return known_[known_.size() - 1 - back];
}

void Traffic::repeat() {
  const Known& known = recent();
  append(known.account, "{\"type\":\"work\",\"id\":\"" + known.id + "\"}");
}

void Traffic::command(const char* op, const std::string& more) {
  const Known& known = recent();
  append(known.account,
         "{\"op\":\"" + std::string(op) + "\",\"id\":\"" + known.id + "\"" + more + "}");
}

void Traffic::rubbish() {
  static constexpr const char* kRubbish[] = {"{\"type\":\"work\",\"runat\":1}", "not json",
                                             "{\"type\":\"work\",\"type\":\"twice\"}",
                                             "{\"id\":\"without-type\"}", "[]"};
  append(account(random_.below(kAccounts)), kRubbish[random_.below(std::size(kRubbish))]);
}

void Traffic::oversized(std::size_t bytes) {
  append(account(bytes % kAccounts), std::string(bytes, 'x'));
}

void Traffic::append(const std::string& account, const std::string& value, bool misrouted) {
  PartitionId to = partition_of(account, settings_.queue.partitions);
  if (misrouted) to = (to + 1) % settings_.queue.partitions;
  const HeaderView trace{"traceparent", "00-abc"};
  cluster_.append(
      names().topic(), to,
      {account, value, random_.chance(0.2) ? std::span(&trace, 1) : std::span<const HeaderView>()});
}

// When all faults are over: an account with many jobs, and one with three that comes when the other
// has been served already.
void Traffic::quiet_story() {
  const std::string heavy = "heavy";
  const PartitionId home = partition_of(heavy, settings_.queue.partitions);
  std::string light = "light";
  while (partition_of(light, settings_.queue.partitions) != home) light += "-";
  for (int i = 0; i < 36; ++i) {
    append(heavy, "{\"type\":\"work\",\"id\":\"heavy-" + std::to_string(i) + "\"}");
  }
  cluster_.at(cluster_.now() + milliseconds(300), [this, light] {
    for (int i = 0; i < 3; ++i) {
      append(light, "{\"type\":\"work\",\"id\":\"light-" + std::to_string(i) + "\"}");
    }
  });
  if (settings_.batches) stream_story();
  if (settings_.queue.order == Order::kFair) bulk_story();
  if (settings_.newcomers) newcomer_story();
  if (settings_.weights) weight_story();
}

// An account of more weight than others, in the same partition.
void Traffic::weight_story() {
  const std::string weighty(kWeightyAccount);
  const PartitionId home = partition_of(weighty, settings_.queue.partitions);
  std::vector<std::string> accounts;
  for (int i = 0; accounts.size() < kPlainAccounts; ++i) {
    std::string plain = std::string(kPlainPrefix) + std::to_string(i);
    if (partition_of(plain, settings_.queue.partitions) == home) accounts.push_back(plain);
  }
  for (int i = 0; i < kWeighedJobs; ++i) {
    const std::string rest = "{\"type\":\"work\",\"id\":\"w" + std::to_string(i) + "\"";
    append(weighty, rest + ",\"weight\":" + std::to_string(kWeight) + "}");
    for (const std::string& account : accounts) append(account, rest + "}");
  }
}

// Beside all that: new accounts come to the partition of an old one, faster than they can be
// served.
void Traffic::newcomer_story() {
  const std::string elder(kElderAccount);
  const PartitionId home = partition_of(elder, settings_.queue.partitions);
  for (int i = 0; i < kElderJobs; ++i)
    append(elder, "{\"type\":\"work\",\"id\":\"elder-" + std::to_string(i) + "\"}");
  int number = 0;
  for (Duration after{0}; after < kNewcomersLast; after += kNewcomerEvery) {
    std::string newcomer;
    do {
      newcomer = std::string(kNewcomerPrefix) + std::to_string(++number);
    } while (partition_of(newcomer, settings_.queue.partitions) != home);
    cluster_.at(cluster_.now() + after,
                [this, newcomer] { append(newcomer, "{\"type\":\"work\",\"id\":\"one\"}"); });
  }
}

// The same within one account: a bulk of three chunks behind a great one.
void Traffic::bulk_story() {
  const auto whole = [this](const std::string& name, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::string id = name + "-" + std::to_string(i);
      append("bulky", "{\"type\":\"work\",\"id\":\"" + id + "\",\"bulk\":{\"id\":\"" + name +
                          "\",\"index\":" + std::to_string(i) +
                          ",\"size\":" + std::to_string(size) + "}}");
    }
  };
  whole("great", 24);
  cluster_.at(cluster_.now() + milliseconds(300), [whole] { whole("small", 3); });
}

}  // namespace penstock::simulation
