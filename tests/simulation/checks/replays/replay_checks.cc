#include "tests/simulation/checks/replays/replay_checks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "state/rows/keys.h"
#include "tests/simulation/checks/batches/batch_checks.h"
#include "tests/simulation/checks/jobs/unique_checks.h"
#include "tests/simulation/checks/replays/replay_losses.h"
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

}  // namespace

// -- What operators and partitions say

void ReplayChecks::control_appended(const LogRecord& record) {
  if (!record.key || !record.key->starts_with("replay/")) return;
  if (is_replay_report_key(*record.key)) return reported(record);
  if (record.key->ends_with("/pause")) return pauses_itself(record);
  const std::string name(record.key->substr(record.key->rfind('/') + 1));
  const auto found = book_.newest.find(name);
  if (!record.value) {
    run_.say("the replay " + name + " is deleted");
    if (found != book_.newest.end()) found->second->deleted = true;
    return;
  }
  const Result<ReplayRecord> said = parse_replay_record(*record.value);
  if (!run_.rules().check(Rule::kReplayCounts, said.has_value(),
                          [&] { return "a record of " + name + " cannot be read"; }))
    return;
  run_.say("the replay " + name + " is " + std::string(to_string(said->state)) + ", resumed " +
           std::to_string(said->resumes) + " times, says " + said->by + " " + said->reason);
  if (found == book_.newest.end() || found->second->record.started_at < said->started_at)
    return begins(name, *said);
  ReplayPlan& plan = *found->second;
  // A partition may say late what it has seen of it.
  if (plan.deleted || said->started_at != plan.record.started_at) return;
  if (is_outdated(*said, plan.record)) return;
  plan.record = *said;
  if (said->state == ReplayState::kCancelled) plan.was_cancelled = true;
  paces_.said(plan);
}

void ReplayChecks::pauses_itself(const LogRecord& record) {
  if (!record.value) return;
  const Result<ReplayPause> said = parse_replay_pause(*record.value);
  if (!run_.rules().check(Rule::kReplayCounts, said.has_value(), [&] {
        return "a pause of " + std::string(*record.key) + " cannot be read";
      }))
    return;
  const std::size_t begin = record.key->find('/', std::string_view("replay/").size()) + 1;
  const std::string name(record.key->substr(begin, record.key->find('/', begin) - begin));
  run_.say("the replay " + name + " pauses itself: " + said->reason);
  const auto found = book_.newest.find(name);
  if (found == book_.newest.end() || found->second->deleted) return;
  found->second->record = in_force(found->second->record, {*said});
  paces_.said(*found->second);
}

void ReplayChecks::reported(const LogRecord& record) {
  if (!record.value) {
    reports_.erase(std::string(*record.key));
    return;
  }
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
  ReplayPlan& plan = book_.model.plan(name, record, book_.copies, book_.sent);
  book_.newest[name] = &plan;
  programs_.begins(plan);
  run_.say(name + " begins: " + to_json(record.terms).dump());
  for (auto& [digest, copy] : book_.copies) {
    if (!copy.is_of(plan)) continue;
    run_.model().expect_copy(digest);
    if (copy.offset.value >= 0 && copy.only_plan() == &plan) lines_[line_of(copy)].push_back(&copy);
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
  const auto found = book_.copies.find(input.copy);
  const bool asked = found != book_.copies.end() && (input.is_twin || found->second.sent > 0);
  run_.rules().check(Rule::kNoPhantom, asked,
                     [&] { return input.message + " brings a copy that no replay asks for"; });
  if (asked && input.is_twin) ++found->second.twins;
}

void ReplayChecks::commanded(const Input& input) {
  const auto found = book_.copies.find(input.copy);
  if (found == book_.copies.end()) return;
  found->second.plain = found->second.keeps_times = false;
  if (input.op == Op::kRetry) ++found->second.reruns;
}

void ReplayChecks::taken(const CommitFacts& facts, const Input& input) {
  const auto found = book_.copies.find(input.copy);
  if (found == book_.copies.end()) return;
  const ReferenceStore& store = run_.reference(facts.partition).store();
  const bool there = found->second.ends > 0 || store.has(keys::identity(input.copy));
  run_.rules().check(Rule::kCopiedOnce, there, [&] {
    return name_of(facts) + " takes " + name_of(found->second) + " and forgets it";
  });
}

// -- Attempts

bool ReplayChecks::are_copies(const AttemptRequest& request) {
  return !told_of(request).empty() ||
         book_.copies.contains(identity_digest(request.account, request.id));
}

void ReplayChecks::started(const AttemptRequest& request, Now now) {
  const auto found = book_.copies.find(identity_digest(request.account, request.id));
  run_.rules().check(Rule::kNoPhantom, found != book_.copies.end(), [&] {
    return request.account + "/" + request.id + " runs, but no replay copies such a record";
  });
  if (found == book_.copies.end()) return;
  Copy& copy = found->second;
  run_.rules().check(Rule::kRightPartition, request.key.partition == copy.home,
                     [&] { return name_of(copy) + " runs in the wrong partition"; });
  const bool again = copy.ends > 0 && copy.ended_in <= request.key.token.epoch;
  run_.rules().check(Rule::kCopiedOnce, !again || copy.ends < allowed_ends(copy),
                     [&] { return name_of(copy) + " has ended and runs again"; });
  if (!request.replay.empty()) {
    check_told(copy, request.replay);
    check_start(copy, request, now);
    check_live(copy, request);
    check_order(copy);
    paces_.started(copy, request);
  }
  ++copy.starts;
}

void ReplayChecks::check_told(const Copy& copy, const std::string& told) {
  const auto json = nlohmann::json::parse(told);
  const bool right = json.size() == 3 && json["id"] == copy.replay && json["of"] == copy.of &&
                     copy.contents.contains(json["source"].get<std::string>());
  run_.rules().check(Rule::kCopiedOnce, right,
                     [&] { return name_of(copy) + " is told that it is a copy of " + told; });
}

void ReplayChecks::check_content(const Copy& copy, const std::string& source,
                                 const std::string& where,
                                 const std::function<std::string(const CopyContent&)>& differs) {
  const auto found = copy.contents.find(source);
  if (found == copy.contents.end()) return;
  std::string difference = "record";
  const CopyContent* is = nullptr;
  for (const CopyContent& content : found->second) {
    difference = differs(content);
    if (!difference.empty()) continue;
    is = &content;
    if (content.line.empty() || programs_.has_answered(copy.replay, content.line)) break;
  }
  if (!run_.rules().check(Rule::kCopyContent, is != nullptr, [&] {
        return where + " has " + name_of(copy) + " of " + source + " with another " + difference;
      }))
    return;
  if (is->line.empty()) return;
  run_.rules().check(Rule::kThrough, programs_.has_answered(copy.replay, is->line), [&] {
    return where + " has " + name_of(copy) + ", of which the program was not asked";
  });
}

// Whether it is what it should be, and does not start too early or too late.
void ReplayChecks::check_start(const Copy& copy, const AttemptRequest& request, Now now) {
  const std::string source = nlohmann::json::parse(request.replay)["source"];
  check_content(copy, source, "an attempt", [&](const CopyContent& content) {
    if (content.run_at && copy.keeps_times && now.wall < *content.run_at)
      return std::string("time");
    const bool late = content.expires_at && copy.starts == 0 && now.wall >= *content.expires_at;
    return late && copy.keeps_times ? std::string("expiry") : difference(content, request);
  });
  const JobRow row = run_.reference(copy.home).row_of(identity_digest(copy.account, copy.id));
  if (row.replay.empty()) return;
  const std::string stored = nlohmann::json::parse(row.replay)["source"];
  check_content(copy, stored, "a row", [&](const CopyContent& content) {
    return difference(content, row, run_.cluster().wall());
  });
}

// No job of the account that has a right to start waits meanwhile. Where another one of them may be
// in its way, such as for its retry, nothing is known (a twin is in no line of the model).
void ReplayChecks::check_live(const Copy& copy, const AttemptRequest& request) {
  const Reference& reference = run_.reference(copy.home);
  if (reference.epoch().value != request.key.token.epoch || book_.has_twin(copy.account)) return;
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

// Whether its first start has to follow that of the one before it.
bool ReplayChecks::keeps_order(const Copy& copy) const {
  return copy.only_plan() && copy.plain && copy.sent == 0 && copy.twins == 0 &&
         !unique_type(copy.type) && copy.type != kMergedType && copy.type != kLedType;
}

void ReplayChecks::check_order(const Copy& copy) {
  const Order order = run_.settings().queue.order;
  if (order != Order::kCreated && order != Order::kStrict) return;
  if (copy.starts > 0 || !keeps_order(copy) || copy.offset.value < 0) return;
  for (const Copy* const earlier : lines_[line_of(copy)]) {
    if (earlier->offset >= copy.offset) break;
    if (!keeps_order(*earlier) || earlier->ends > 0 || may_be_lacking(*earlier)) continue;
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
  // Copies of an earlier replay of the name may run under its own number.
  int most = 0;
  for (const ReplayPlan& plan : book_.model.plans()) {
    if (plan.name != name) continue;
    if (!plan.record.terms.concurrency) return;
    most = std::max(most, *plan.record.terms.concurrency);
  }
  if (most == 0) return;
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
  std::set<const ReplayPlan*> at_home_of;
  for (const Copy::Record& record : copy.records) {
    if (record.partition == copy.home) at_home_of.insert(record.plan);
  }
  const int at_home = static_cast<int>(at_home_of.size());
  return copy.reruns + (run_.settings().short_window ? at_home + copy.sent + copy.twins : 1);
}

bool ReplayChecks::ended(const CommitFacts& facts, const Digest& digest) {
  const auto found = book_.copies.find(digest);
  if (found == book_.copies.end()) return false;
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

void ReplayChecks::produced(const CommitFacts& facts, const Produced& message) {
  if (message.topic == names().events_topic()) return paces_.event(facts, message);
  if (message.topic == control_topic(kPrefix) && message.key.value_or("").starts_with("replay/"))
    return paces_.told(facts, message);
  const std::string told = message.header("penstock-replay");
  if (told.empty()) return;
  const auto origin = nlohmann::json::parse(told);
  const bool away = message.topic == QueueNames(kPrefix, kShadowQueue).topic();
  if (away || message.topic == names().topic()) sent_.produced(facts, message, origin["id"], !away);
  const auto json = nlohmann::json::parse(message.value.value_or(""), nullptr, false);
  const std::string id = json.is_object() ? json.value("id", "") : "";
  const auto& copies = away ? book_.sent : book_.copies;
  const auto found = copies.find(identity_digest(message.key.value_or(""), id));
  if (found == copies.end()) return;
  check_content(found->second, origin["source"], name_of(facts), [&](const CopyContent& content) {
    const auto headers = own_headers(message.headers);
    const bool same = std::equal(
        headers.begin(), headers.end(), content.headers.begin(), content.headers.end(),
        [](const Header& a, const Header& b) { return a.name == b.name && a.value == b.value; });
    return same ? difference(content, id, *message.value, run_.cluster().wall()) : "headers";
  });
}

void ReplayChecks::committed(const CommitFacts& facts) {
  for (auto& [name, plan] : book_.newest) {
    const ReplayRow row = row_of(name, facts.partition);
    ReplayRow& before = rows_[{name, facts.partition}];
    if (row.started_at == plan->record.started_at) {
      // What an earlier one of the name has left does not count for this one.
      const bool is_new = before.started_at != row.started_at && before.started_at != Time{};
      sent_.committed(facts, *plan, before, row);
      paces_.committed(facts, *plan, row);
      note_lost(facts, *plan, is_new ? ReplayRow{} : before, row);
    }
    before = row;
  }
}

// What is counted as lost was cut off before the place that has been read.
void ReplayChecks::note_lost(const CommitFacts& facts, ReplayPlan& plan, const ReplayRow& before,
                             const ReplayRow& row) {
  constexpr auto kLost = static_cast<std::size_t>(LeftOut::kLost);
  const std::int64_t lost = row.counts.left_out[kLost] - before.counts.left_out[kLost];
  if (lost == 0) return;
  const ReplayRange range = plan.record.ranges[static_cast<std::size_t>(facts.partition)];
  const ReferenceStore& store = run_.reference(facts.partition).store();
  auto& found = plan.found[static_cast<std::size_t>(facts.partition)];
  const std::optional<Offset> until = lost_until(
      {lost, before.next, row.next, range.to}, cuts_[facts.partition], [&](std::int64_t at) {
        const auto& copy = found[static_cast<std::size_t>(at - range.from.value)].copy;
        return copy && store.has(keys::identity(*copy));
      });
  run_.rules().check(Rule::kReplayCounts, until.has_value(), [&] {
    return name_of(facts) + " counts " + std::to_string(lost) + " records of " + plan.name +
           " as lost, from " + std::to_string(before.next.value) + " on, that were not removed";
  });
  if (!until) return;
  run_.say(name_of(facts) + " has lost the records of " + plan.name + " up to " +
           std::to_string(until->value));
  for (std::int64_t at = until->value - lost; at < until->value; ++at) {
    FoundRecord& one = found[static_cast<std::size_t>(at - range.from.value)];
    one.lost = true;
    if (!one.copy) continue;
    const auto copy = book_.copies.find(*one.copy);
    if (copy == book_.copies.end()) continue;
    copy->second.plain = false;
    std::erase_if(copy->second.records, [&](const Copy::Record& record) {
      return record.plan == &plan && record.partition == facts.partition &&
             record.offset.value == at;
    });
  }
}

// Unless it was made of no record, or its replay was cancelled.
bool ReplayChecks::has_to_end(const Copy& copy) const {
  return std::any_of(copy.records.begin(), copy.records.end(), [](const Copy::Record& record) {
    return !record.plan->was_cancelled && !record.plan->deleted;
  });
}

std::string ReplayChecks::not_done() const {
  for (const auto& [name, plan] : book_.newest) {
    if (const std::string left = not_done(*plan); !left.empty()) return left;
  }
  for (const auto& [digest, copy] : book_.copies) {
    if (copy.ends == 0 && has_to_end(copy)) return "the copy " + name_of(copy) + " has not ended";
  }
  return {};
}

std::string ReplayChecks::not_done(const ReplayPlan& plan) const {
  for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
    const ReferenceStore& store = run_.reference(id).store();
    const std::string who = plan.name + " in p" + std::to_string(id);
    if (plan.deleted) {
      if (store.has(keys::replay(plan.name))) return who + " was deleted, and its row is kept";
      continue;
    }
    const ReplayRow row = row_of(plan.name, id);
    if (row.started_at != plan.record.started_at) return who + " has not begun";
    const bool over = plan.was_cancelled ? row.cancelled : row.read;
    if (!over) return who + " has read up to " + std::to_string(row.next.value) + " only";
    if (row.counts.live() != 0)
      return who + " has " + std::to_string(row.counts.live()) + " live copies";
    const auto report = reports_.find(replay_report_key({std::string(kQueue), plan.name}, id));
    const bool told = report != reports_.end() && report->second.counts == row.counts &&
                      report->second.next == row.next &&
                      report->second.done == (row.read || row.cancelled);
    if (!told) return who + " has not said so";
  }
  return {};
}

void ReplayChecks::check_end() {
  sent_.check_end();
  paces_.check_end();
  for (const auto& [name, plan] : book_.newest) {
    if (plan->deleted) continue;
    ReplayCounts all;
    for (PartitionId id = 0; id < run_.settings().queue.partitions; ++id) {
      check_row(*plan, id);
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
  const ReplayCounts found = plan.counts(partition), &counts = row.counts;
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
         counts.admitted + counts.forwarded + counts.sent + left_out(counts, LeftOut::kRepeat) +
             left_out(counts, LeftOut::kRefused),
         counts.matched + counts.received);
  if (plan.was_cancelled) return;
  agrees("as its position", row.next.value, range.to.value);
  agrees("records", counts.scanned, found.scanned);
  agrees("lost records", left_out(counts, LeftOut::kLost), left_out(found, LeftOut::kLost));
  agrees("records that its program refuses", left_out(counts, LeftOut::kRefused),
         left_out(found, LeftOut::kRefused));
  agrees("records that match", counts.matched, found.matched);
  std::set<Digest> sent;
  for (const FoundRecord& one : plan.found[at]) {
    if (plan.sends() && one.copy && !one.lost) sent.insert(*one.copy);
  }
  agrees("copies for another queue", counts.sent, static_cast<std::int64_t>(sent.size()));
  agrees("copies of others", left_out(counts, LeftOut::kCopy), left_out(found, LeftOut::kCopy));
  agrees("forwarded records", left_out(counts, LeftOut::kForwarded),
         left_out(found, LeftOut::kForwarded));
  agrees("bad records", left_out(counts, LeftOut::kBad), left_out(found, LeftOut::kBad));
  agrees("commands", left_out(counts, LeftOut::kCommand), left_out(found, LeftOut::kCommand));
}

}  // namespace penstock::simulation
