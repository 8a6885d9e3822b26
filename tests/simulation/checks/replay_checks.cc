#include "tests/simulation/checks/replay_checks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "state/rows/keys.h"
#include "tests/simulation/checks/batch_checks.h"
#include "tests/simulation/checks/unique_checks.h"
#include "topics/partitioner.h"

namespace penstock::simulation {
namespace {

std::string line_of(const Copy& copy) { return copy.replay + " " + copy.account + " " + copy.type; }

// What the first job of the attempt is a copy of; empty: of nothing.
const std::string& told_of(const AttemptRequest& request) {
  return request.items.empty() ? request.replay : request.items.front().replay;
}

std::string replay_in(const std::string& told) {
  return told.empty() ? std::string() : nlohmann::json::parse(told)["id"].get<std::string>();
}

// Whether a copy's first start has to follow that of the one before it.
bool keeps_order(const Copy& copy) {
  return copy.plain && copy.sent == 0 && copy.twins == 0 && !unique_type(copy.type) &&
         copy.type != kMergedType && copy.type != kLedType;
}

}  // namespace

// -- What operators and partitions say

void ReplayChecks::control_appended(const LogRecord& record) {
  if (!record.key || !record.value || !record.key->starts_with("replay/")) return;
  if (is_replay_report_key(*record.key)) return reported(record);
  const std::string name(record.key->substr(record.key->rfind('/') + 1));
  const Result<ReplayRecord> said = parse_replay_record(*record.value);
  if (!run_.rules().check(Rule::kReplayCounts, said.has_value(),
                          [&] { return "a record of " + name + " cannot be read"; }))
    return;
  run_.say("the replay " + name + " is " + std::string(to_string(said->state)) + ", resumed " +
           std::to_string(said->resumes) + " times, says " + said->by);
  const auto found = replays_.find(name);
  if (found == replays_.end()) return begins(name, *said);
  found->second.record = *said;
  if (said->state == ReplayState::kCancelled) found->second.was_cancelled = true;
}

void ReplayChecks::reported(const LogRecord& record) {
  const Result<ReplayProgress> said = parse_replay_progress(*record.value);
  run_.rules().check(Rule::kReplayCounts, said.has_value(),
                     [&] { return "a report of " + std::string(*record.key) + " cannot be read"; });
  if (!said) return;
  run_.say(std::string(*record.key) + " is at " + std::to_string(said->next.value) + ", " +
           std::to_string(said->counts.all_ended()) + " of " +
           std::to_string(said->counts.admitted) + " have ended" + (said->done ? ", done" : ""));
  ReplayProgress& known = reports_[std::string(*record.key)];
  if (!said->is_before(known)) known = *said;
}

void ReplayChecks::begins(const std::string& name, const ReplayRecord& record) {
  replays_[name] = model_.plan(name, record, copies_);
  for (auto& [digest, copy] : copies_) {
    if (copy.replay != name) continue;
    run_.model().expect_copy(digest);
    if (copy.offset.value >= 0) lines_[line_of(copy)].push_back(&copy);
    run_.say(name + " is to copy " + copy.account + "/" + copy.of + " of p" +
             std::to_string(copy.home) + "@" + std::to_string(copy.offset.value));
  }
  for (auto& [line, copies] : lines_) {
    std::sort(copies.begin(), copies.end(),
              [](const Copy* a, const Copy* b) { return a->offset < b->offset; });
  }
}

// -- The input

void ReplayChecks::arrived(const Input& input) {
  const auto found = copies_.find(input.copy);
  const bool asked = found != copies_.end() && (input.is_twin || found->second.sent > 0);
  run_.rules().check(Rule::kNoPhantom, asked,
                     [&] { return input.message + " brings a copy that no replay asks for"; });
  if (asked && input.is_twin) ++found->second.twins;
}

void ReplayChecks::commanded(const Input& input) {
  const auto found = copies_.find(input.copy);
  if (found == copies_.end()) return;
  found->second.plain = false;
  if (input.op == Op::kRetry) ++found->second.reruns;
}

void ReplayChecks::taken(const CommitFacts& facts, const Input& input) {
  const auto found = copies_.find(input.copy);
  if (found == copies_.end()) return;
  const ReferenceStore& store = run_.reference(facts.partition).store();
  const bool there = found->second.ends > 0 || store.has(keys::identity(input.copy));
  run_.rules().check(Rule::kCopiedOnce, there, [&] {
    return name_of(facts) + " takes " + name_of(found->second) + " and forgets it";
  });
}

// -- Attempts

bool ReplayChecks::are_copies(const AttemptRequest& request) {
  return !told_of(request).empty() ||
         copies_.contains(identity_digest(request.account, request.id));
}

void ReplayChecks::started(const AttemptRequest& request) {
  const auto found = copies_.find(identity_digest(request.account, request.id));
  run_.rules().check(Rule::kNoPhantom, found != copies_.end(), [&] {
    return request.account + "/" + request.id + " runs, but no replay copies such a record";
  });
  if (found == copies_.end()) return;
  Copy& copy = found->second;
  run_.rules().check(Rule::kRightPartition, request.key.partition == copy.home,
                     [&] { return name_of(copy) + " runs in the wrong partition"; });
  const bool again = copy.ends > 0 && copy.ended_in <= request.key.token.epoch;
  run_.rules().check(Rule::kCopiedOnce, !again || copy.ends < allowed_ends(copy),
                     [&] { return name_of(copy) + " has ended and runs again"; });
  if (!request.replay.empty()) {
    check_told(copy, request.replay);
    check_live(copy, request);
    check_order(copy);
  }
  ++copy.starts;
}

void ReplayChecks::check_told(const Copy& copy, const std::string& told) {
  const auto json = nlohmann::json::parse(told);
  const bool right = json.size() == 3 && json["id"] == copy.replay && json["of"] == copy.of &&
                     copy.sources.contains(json["source"].get<std::string>());
  run_.rules().check(Rule::kCopiedOnce, right,
                     [&] { return name_of(copy) + " is told that it is a copy of " + told; });
}

// No job of the account that has a right to start waits meanwhile. Where another one of them may be
// in its way, such as for its retry, nothing is known.
void ReplayChecks::check_live(const Copy& copy, const AttemptRequest& request) {
  const Reference& reference = run_.reference(copy.home);
  if (reference.epoch().value != request.key.token.epoch) return;
  const Job* waits = nullptr;
  for (const Job* const job : run_.model().line(copy.account)) {
    if (job->offset.value >= reference.input_next()) break;
    if (job->ends > 0 && job->reruns == 0 && !run_.may_be_forgotten(*job)) continue;
    const bool other = run_.settings().queue.order != Order::kStrict && job->type != kType;
    if (other) continue;
    if (!job->plain || job->starts > 0 || job->repeats > 0) return;
    if (!waits) waits = job;
  }
  run_.rules().check(Rule::kCopiesLast, waits == nullptr,
                     [&] { return name_of(copy) + " starts while " + name_of(*waits) + " waits"; });
}

void ReplayChecks::check_order(const Copy& copy) {
  const Order order = run_.settings().queue.order;
  if (order != Order::kCreated && order != Order::kStrict) return;
  if (copy.starts > 0 || !keeps_order(copy) || copy.offset.value < 0) return;
  for (const Copy* const earlier : lines_[line_of(copy)]) {
    if (earlier->offset >= copy.offset) break;
    if (!keeps_order(*earlier) || earlier->ends > 0) continue;
    run_.rules().check(Rule::kCopyOrder, earlier->starts > 0, [&] {
      return name_of(copy) + " starts before " + name_of(*earlier) +
             ", whose original was there first";
    });
  }
}

void ReplayChecks::shown(std::size_t host, const AttemptRequest& request) {
  attempts_[{host, request.key}] = replay_in(told_of(request));
  shown(host, request.key);
}

void ReplayChecks::shown(std::size_t host, const AttemptKey& key) {
  const auto found = attempts_.find({host, key});
  if (found == attempts_.end()) return;
  running_[found->second].insert({host, key});
  check_running(found->second);
}

void ReplayChecks::hidden(std::size_t host, const AttemptKey& key) {
  const auto found = attempts_.find({host, key});
  if (found != attempts_.end()) running_[found->second].erase({host, key});
}

void ReplayChecks::check_running(const std::string& name) {
  const auto found = replays_.find(name);
  if (found == replays_.end() || !found->second.record.terms.concurrency) return;
  const int most = *found->second.record.terms.concurrency;
  const std::size_t runs = running_[name].size();
  run_.rules().check(Rule::kSharedSlots, runs <= static_cast<std::size_t>(most), [&] {
    return std::to_string(runs) + " copies of " + name + " run at once, at most " +
           std::to_string(most) + " may";
  });
}

void ReplayChecks::started_knowing(const AttemptRequest& request, const Control& control) {
  std::set<std::string> names = {replay_in(request.replay)};
  for (const AttemptItem& item : request.items) names.insert(replay_in(item.replay));
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const ReplayRecord* const record = control.replay({std::string(kQueue), name});
    run_.rules().check(Rule::kCopiesPaused, !record || record->state == ReplayState::kRunning, [&] {
      return request.account + "/" + request.id + " starts, though its worker has read that " +
             name + " is " + std::string(to_string(record->state));
    });
  }
}

// -- The honoured history

// Beyond one only where identities are forgotten while the run goes on: a copy that another
// partition sends, or another job of the identity, may come after that.
int ReplayChecks::allowed_ends(const Copy& copy) const {
  const int at_home = copy.offset.value >= 0 ? 1 : 0;
  return copy.reruns + (run_.settings().short_window ? at_home + copy.sent + copy.twins : 1);
}

bool ReplayChecks::ended(const CommitFacts& facts, const Digest& digest) {
  const auto found = copies_.find(digest);
  if (found == copies_.end()) return false;
  Copy& copy = found->second;
  ++copy.ends;
  copy.ended_in = facts.epoch.value;
  run_.rules().check(Rule::kCopiedOnce,
                     facts.partition == copy.home && copy.ends <= allowed_ends(copy), [&] {
                       return name_of(facts) + " ends " + name_of(copy) + " for the " +
                              std::to_string(copy.ends) + ". time";
                     });
  run_.say(name_of(facts) + " ends " + name_of(copy));
  return true;
}

ReplayRow ReplayChecks::row_of(const std::string& name, PartitionId partition) const {
  const auto& rows = run_.reference(partition).store().rows();
  const auto found = rows.find(keys::replay(name));
  return found == rows.end() ? ReplayRow{} : ReplayRow::decode(found->second).value();
}

void ReplayChecks::deleted() {
  check_end();
  deleted_ = true;
}

std::string ReplayChecks::not_done() const {
  for (const auto& reference : run_.references()) {
    const ReferenceStore& store = reference->store();
    if (deleted_ && store.rows_of(keys::kReplay) + store.rows_of(keys::kReplayIds) > 0)
      return "rows of replays that were deleted are kept";
  }
  if (deleted_) return {};
  for (const auto& [name, plan] : replays_) {
    if (const std::string left = not_done(plan); !left.empty()) return left;
  }
  for (const auto& [digest, copy] : copies_) {
    if (copy.ends == 0 && !replays_.at(copy.replay).was_cancelled)
      return "the copy " + name_of(copy) + " has not ended";
  }
  return {};
}

std::string ReplayChecks::not_done(const ReplayPlan& plan) const {
  for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
    const ReplayRow row = row_of(plan.name, id);
    const std::string who = plan.name + " in p" + std::to_string(id);
    const bool over = plan.was_cancelled ? row.cancelled : row.read;
    if (!over) return who + " has read up to " + std::to_string(row.next.value) + " only";
    if (row.counts.live() != 0)
      return who + " has " + std::to_string(row.counts.live()) + " live copies";
    const auto report = reports_.find(replay_report_key({std::string(kQueue), plan.name}, id));
    const bool told = report != reports_.end() && report->second.counts == row.counts &&
                      report->second.next == row.next && report->second.done == row.read;
    if (!told) return who + " has not said so";
  }
  return {};
}

void ReplayChecks::check_end() {
  if (deleted_) return;
  for (const auto& [name, plan] : replays_) {
    ReplayCounts all;
    for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
      check_row(plan, id);
      all += row_of(name, id).counts;
    }
    run_.rules().check(Rule::kReplayCounts, all.forwarded == all.received, [&] {
      return name + " has sent " + std::to_string(all.forwarded) + " copies to other partitions, " +
             std::to_string(all.received) + " have come";
    });
  }
  for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
    const std::size_t ids = run_.reference(id).store().rows_of(keys::kReplayIds);
    run_.rules().check(Rule::kMemory, ids == 0, [&] {
      return "p" + std::to_string(id) + " keeps " + std::to_string(ids) +
             " rows of the ids of replays that have been read";
    });
  }
}

void ReplayChecks::check_row(const ReplayPlan& plan, PartitionId partition) {
  const auto at = static_cast<std::size_t>(partition);
  const ReplayRange range = plan.record.ranges[at];
  const ReplayRow row = row_of(plan.name, partition);
  const ReplayCounts &found = plan.counts[at], &counts = row.counts;
  const auto left_out = [](const ReplayCounts& of, LeftOut reason) {
    return of.left_out[static_cast<std::size_t>(reason)];
  };
  const auto agrees = [&](const char* what, std::int64_t is, std::int64_t should) {
    run_.rules().check(Rule::kReplayCounts, is == should, [&] {
      return plan.name + " in p" + std::to_string(partition) + " counts " + std::to_string(is) +
             " " + what + ", not " + std::to_string(should);
    });
  };
  agrees("copies that have ended", counts.all_ended(), counts.admitted);
  agrees("copies and repeats",
         counts.admitted + counts.forwarded + left_out(counts, LeftOut::kRepeat),
         counts.matched + counts.received);
  if (plan.was_cancelled) return;
  agrees("as its position", row.next.value, range.to.value);
  agrees("records", counts.scanned, found.scanned);
  agrees("records that match", counts.matched, found.matched);
  agrees("copies of others", left_out(counts, LeftOut::kCopy), left_out(found, LeftOut::kCopy));
  agrees("forwarded records", left_out(counts, LeftOut::kForwarded),
         left_out(found, LeftOut::kForwarded));
  // A record without the name of a type is of no interest, whatever is wrong with it.
  if (!plan.record.terms.types.empty()) return;
  agrees("bad records", left_out(counts, LeftOut::kBad), left_out(found, LeftOut::kBad));
  agrees("commands", left_out(counts, LeftOut::kCommand), left_out(found, LeftOut::kCommand));
}

}  // namespace penstock::simulation
