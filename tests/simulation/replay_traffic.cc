#include "tests/simulation/replay_traffic.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "consumer/control/control.h"
#include "tests/simulation/checks/replays/replay_model.h"
#include "tests/simulation/replay_program.h"
#include "tests/simulation/traffic.h"
#include "topics/partitioner.h"

namespace penstock::simulation {

using std::chrono::milliseconds;
using std::chrono::seconds;

ReplayTraffic::ReplayTraffic(const Settings& settings, SimulatedCluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      random_(settings.seed * 29 + 13),
      more_(settings.seed * 31 + 19),
      has_more_(more_.chance(0.5)) {}

void ReplayTraffic::start() {
  const auto first = Instant(random_.between(seconds(20), seconds(35)));
  cluster_.at(first, [this] { begin("r"); });
  const bool pauses = random_.chance(0.4), cancels = random_.chance(0.2);
  const auto paused = first + random_.between(milliseconds(0), milliseconds(5000));
  const auto resumed = paused + random_.between(seconds(3), seconds(6));
  if (pauses) cluster_.at(paused, [this] { pause("r"); });
  if (pauses) cluster_.at(resumed, [this] { resume("r"); });
  if (cancels) {
    cluster_.at(first + random_.between(milliseconds(500), milliseconds(9000)),
                [this] { cancel("r"); });
  }
  if (has_more_ ? more_.chance(0.5) : random_.chance(0.3)) {
    cluster_.at(first + random_.between(milliseconds(0), milliseconds(6000)),
                [this] { begin("r2"); });
  }
  if (has_more_) start_more(first);
  const bool commands = random_.chance(0.3);
  for (int left = 8; commands && left > 0; --left)
    cluster_.at(first + random_.between(seconds(1), seconds(20)), [this] { command(); });
  cluster_.at(kFaultsEnd + seconds(2), [this] {
    resume_what_pauses_itself("r");
    resume_what_pauses_itself("r2");
  });
}

// A name is used again once its replay was deleted; and what pauses itself is resumed, some of it
// while its cause persists.
void ReplayTraffic::start_more(Instant first) {
  const auto from = [&](Instant at) { return at + more_.between(milliseconds(0), seconds(4)); };
  for (int left = 4; left > 0; --left) {
    const auto at = first + more_.between(seconds(3), seconds(20));
    cluster_.at(at, [this] {
      resume("r");
      resume("r2");
    });
  }
  if (!more_.chance(0.35)) return;
  const Instant cancelled = from(first);
  const Instant deleted = more_.chance(0.3) ? cancelled : from(cancelled);
  const Instant again = more_.chance(0.3) ? deleted : from(deleted);
  cluster_.at(cancelled, [this] { cancel("r"); });
  const bool comes_again = more_.chance(0.8);
  const auto waits = again + milliseconds(1) - deleted;
  cluster_.at(deleted, [this, comes_again, waits] { erase_once_ended(comes_again, waits); });
}

// The command waits until no partition has copies of it.
void ReplayTraffic::erase_once_ended(bool comes_again, Instant::duration waits) {
  const Control control = everything_said();
  const ReplayTarget target{std::string(kQueue), "r"};
  const ReplayRecord* const record = control.replay(target);
  if (!record) return;
  if (!totals_of(*record, control.replay_reports(target)).finished) {
    if (cluster_.now() > kFaultsEnd) return;
    cluster_.at(cluster_.now() + milliseconds(100),
                [this, comes_again, waits] { erase_once_ended(comes_again, waits); });
    return;
  }
  erase("r");
  ++counts_["replay's name used again"];
  if (comes_again) cluster_.at(cluster_.now() + waits, [this] { begin("r"); });
}

void ReplayTraffic::remove() {
  for (const char* const name : {"r", "r2"}) erase(name);
  ++counts_["replays deleted"];
}

// As the command does: with what its partitions have reported.
void ReplayTraffic::erase(const std::string& name) {
  const ReplayTarget target{std::string(kQueue), name};
  const auto say_nothing = [this](const std::string& key) {
    cluster_.append(control_topic(kPrefix), 0, {key, std::nullopt, {}});
  };
  say_nothing(replay_key(target));
  for (PartitionId partition = 0; partition < settings_.queue.partitions; ++partition)
    say_nothing(replay_report_key(target, partition));
}

ReplayTerms ReplayTraffic::draw_terms() {
  nlohmann::json terms = nlohmann::json::object();
  const std::uint64_t variant = random_.below(8);
  if (variant == 0) terms["types"] = {std::string(kType)};
  if (variant == 1) terms["accounts"] = {account(random_.below(2)), account(2 + random_.below(2))};
  if (variant == 2) terms["keep_expiry"] = true;
  if (variant == 3 || variant == 4) terms["dead"] = true;
  if (variant == 4) terms["reasons"] = {"attempts_exhausted", "discarded"};
  if (random_.chance(0.25)) terms["rate"] = random_.chance(0.5) ? "20/s" : "5/s";
  if (random_.chance(0.15)) terms["max_dead"] = "5%";
  const std::uint64_t concurrency = random_.below(6);
  if (settings_.shared && concurrency < 3) terms["concurrency"] = 1 + concurrency;
  return parse_replay_terms(terms).value();
}

std::vector<std::string> ReplayTraffic::some_ids() {
  std::vector<std::string> ids;
  for (PartitionId partition = 0; partition < settings_.queue.partitions; ++partition) {
    const auto& log = cluster_.partition(names().topic(), partition);
    for (Offset at{0}; at < log.end(); at = at.next()) {
      if (!more_.chance(0.3)) continue;
      const auto json = nlohmann::json::parse(log.at(at).value.value_or(""), nullptr, false);
      const std::string place = place_name(names().topic(), partition, at);
      if (json.is_object()) ids.push_back(json.value("id", place));
    }
  }
  return ids;
}

Time ReplayTraffic::some_time() {
  return cluster_.wall() - Duration(static_cast<std::int64_t>(more_.below(20'000)));
}

void ReplayTraffic::draw_source(nlohmann::json& terms) {
  const std::uint64_t variant = more_.below(10);
  if (variant == 0) terms["types"] = {std::string(kType), "gathered"};
  if (variant == 1) terms["accounts"] = {account(more_.below(2)), account(2 + more_.below(2))};
  if (variant == 2) terms["ids"] = some_ids();
  if (variant == 2 && terms["ids"].empty()) terms.erase("ids");
  if (variant == 3) terms["where"] = {{"/hops", more_.below(3)}};
  if (variant == 4) terms["where"] = {{"/k", more_.below(2)}};
  if (variant == 5 || variant == 6) terms["dead"] = true;
  if (variant == 5) terms["reasons"] = {"attempts_exhausted", "discarded", "bad_field"};
  if (!more_.chance(0.3)) return;
  const Time from = some_time(), to = some_time();
  if (more_.chance(0.7)) terms["from"] = to_ms(std::min(from, to));
  if (more_.chance(0.7)) terms["to"] = to_ms(std::max(from, to)) + 1;
}

ReplayTerms ReplayTraffic::draw_more_terms(const std::string& name) {
  nlohmann::json terms = nlohmann::json::object();
  draw_source(terms);
  if (more_.chance(0.3)) terms["keep_expiry"] = true;
  if (more_.chance(0.3)) terms["to_queue"] = std::string(kShadowQueue);
  constexpr std::array kRates = {"5/s", "20/s", "100/m"};
  if (more_.chance(0.3)) terms["rate"] = kRates[more_.below(kRates.size())];
  if (more_.chance(0.3)) terms["through"] = program_of(name);
  if (terms.contains("to_queue")) return parse_replay_terms(terms).value();
  if (more_.chance(0.3)) terms["max_dead"] = more_.chance(0.5) ? "5%" : "20%";
  if (settings_.shared && more_.chance(0.5)) terms["concurrency"] = 1 + more_.below(3);
  return parse_replay_terms(terms).value();
}

void ReplayTraffic::begin(const std::string& name) {
  ReplayRecord record;
  record.terms = has_more_ ? draw_more_terms(name) : draw_terms();
  const std::string topic = record.terms.dead ? names().dead_topic() : names().topic();
  const bool later = random_.chance(0.3);
  for (PartitionId partition = 0; partition < settings_.queue.partitions; ++partition) {
    const Offset start = cluster_.partition(topic, partition).start();
    const Offset end = cluster_.partition(topic, partition).end();
    const auto skipped = random_.below(static_cast<std::uint64_t>(end.value) / 3 + 1);
    const Offset from{later ? static_cast<std::int64_t>(skipped) : 0};
    record.ranges.push_back({std::max(from, start), end});
  }
  record.started_at = cluster_.wall();
  record.started_by = "somebody";
  ++counts_["replay started"];
  say(name, std::move(record));
}

void ReplayTraffic::pause(const std::string& name) {
  ReplayRecord record = newest(name);
  if (record.state != ReplayState::kRunning) return;
  record.state = ReplayState::kPaused;
  ++counts_["replay paused"];
  say(name, std::move(record));
}

void ReplayTraffic::resume(const std::string& name) {
  ReplayRecord record = newest(name);
  if (record.state != ReplayState::kPaused) return;
  record.state = ReplayState::kRunning;
  record.reason.clear();
  ++record.resumes;
  say(name, std::move(record));
}

void ReplayTraffic::cancel(const std::string& name) {
  ReplayRecord record = newest(name);
  if (record.ranges.empty()) return;
  record.state = ReplayState::kCancelled;
  ++counts_["replay cancelled"];
  say(name, std::move(record));
}

void ReplayTraffic::command() {
  const auto partitions = static_cast<std::uint64_t>(settings_.queue.partitions);
  const auto partition = static_cast<PartitionId>(random_.below(partitions));
  const auto& log = cluster_.partition(names().topic(), partition);
  if (log.end().value == 0) return;
  const auto at =
      static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(log.end().value)));
  const LogRecord record = log.at(Offset{at});
  const auto json = nlohmann::json::parse(record.value.value_or(""), nullptr, false);
  if (!json.is_object() || !record.key || !json.contains("id") || json.contains("op")) return;
  static constexpr const char* kOps[] = {"cancel", "retry", "retry", "delete", "reschedule"};
  const std::string op = kOps[random_.below(std::size(kOps))];
  nlohmann::json said = {{"op", op}, {"id", "replay/r/" + json["id"].get<std::string>()}};
  if (op == "reschedule") said["run_at"] = to_ms(cluster_.wall()) + 1500;
  const std::string account(*record.key), value = said.dump();
  const PartitionId home = partition_of(account, settings_.queue.partitions);
  cluster_.append(names().topic(), home, {account, value, {}});
}

// Until all is over: copies may die at any time.
void ReplayTraffic::resume_what_pauses_itself(const std::string& name) {
  resume(name);
  cluster_.at(cluster_.now() + seconds(3), [this, name] { resume_what_pauses_itself(name); });
}

void ReplayTraffic::say(const std::string& name, ReplayRecord record) {
  record.at = cluster_.wall();
  record.by = "somebody";
  const std::string key = replay_key({std::string(kQueue), name}), value = to_json_text(record);
  cluster_.append(control_topic(kPrefix), 0, {key, value, {}});
}

Control ReplayTraffic::everything_said() const {
  const auto& log = cluster_.partition(control_topic(kPrefix), 0);
  Control control;
  for (Offset at = log.start(); at < log.end(); at = at.next()) {
    const LogRecord record = log.at(at);
    if (record.key) static_cast<void>(control.apply(*record.key, record.value));
  }
  return control;
}

ReplayRecord ReplayTraffic::newest(const std::string& name) const {
  const Control control = everything_said();
  const ReplayTarget target{std::string(kQueue), name};
  if (const ReplayRecord* const record = control.replay(target))
    return in_force(*record, control.replay_pauses(target));
  ReplayRecord none;
  none.state = ReplayState::kCancelled;
  return none;
}

}  // namespace penstock::simulation
