#include "tests/simulation/checks/replays/sent_checks.h"

#include <algorithm>
#include <set>

#include "tests/simulation/settings.h"
#include "topics/partitioner.h"

namespace penstock::simulation {
namespace {

std::string header_text(const LogRecord& record, std::string_view name) {
  for (const HeaderView& one : record.headers) {
    if (one.name == name) return std::string(one.value.value_or(""));
  }
  return {};
}

// The replays that copy it from this partition.
std::size_t plans_of(const Copy& copy, PartitionId partition) {
  std::set<const ReplayPlan*> plans;
  for (const Copy::Record& record : copy.records) {
    if (record.partition == partition) plans.insert(record.plan);
  }
  return plans.size();
}

}  // namespace

void SentChecks::produced(const CommitFacts& facts, const Produced& message,
                          const std::string& replay, bool forwarded) {
  ++(forwarded ? now_[replay].forwarded : now_[replay].away);
  if (!forwarded) ++sent_[replay];
  const std::string account = message.key.value_or("");
  const auto json = nlohmann::json::parse(message.value.value_or(""), nullptr, false);
  const std::string id = json.is_object() ? json.value("id", "") : "";
  const Digest digest = identity_digest(account, id);
  const ReplayModel::Copies& copies = forwarded ? book_.copies : book_.sent;
  const auto found = copies.find(digest);
  const auto asked =
      found == copies.end() ? 0 : static_cast<int>(plans_of(found->second, facts.partition));
  run_.rules().check(Rule::kCopiesSent, ++made_[{facts.partition, forwarded, digest}] <= asked,
                     [&] {
                       return name_of(facts) + " sends " + account + "/" + id + " for the " +
                              std::to_string(made_[{facts.partition, forwarded, digest}]) +
                              ". time, " + std::to_string(asked) + " replays ask for it";
                     });
  const int partitions = forwarded ? run_.settings().queue.partitions : kShadowPartitions;
  run_.rules().check(
      Rule::kRightPartition, message.partition == partition_of(account, partitions),
      [&] { return name_of(facts) + " sends " + account + "/" + id + " to the wrong partition"; });
}

void SentChecks::committed(const CommitFacts& facts, const ReplayPlan& plan,
                           const ReplayRow& before, const ReplayRow& row) {
  const auto found = now_.find(plan.name);
  const Sent sent = found == now_.end() ? Sent{} : found->second;
  now_.erase(plan.name);
  if (before.started_at != Time{} && before.started_at != row.started_at) return;
  const std::int64_t away = row.counts.sent - before.counts.sent;
  const std::int64_t forwarded = row.counts.forwarded - before.counts.forwarded;
  run_.rules().check(Rule::kCopiesSent, away == sent.away && forwarded == sent.forwarded, [&] {
    return name_of(facts) + " counts " + std::to_string(away) + " copies that " + plan.name +
           " sends to another queue and " + std::to_string(forwarded) +
           " to other partitions, and has " + std::to_string(sent.away) + " and " +
           std::to_string(sent.forwarded);
  });
}

bool SentChecks::arrived(PartitionId partition, const LogRecord& record) {
  const std::string message = header_text(record, "penstock-message");
  const std::size_t arrow = message.find('>'), hash = message.rfind('#');
  const bool is_message =
      run_.rules().check(Rule::kCopiesSent, arrow != std::string::npos && hash != std::string::npos,
                         [] { return "what is in the other queue is no message"; });
  if (!is_message) return false;
  std::uint64_t& last = last_[{partition, message.substr(0, arrow)}];
  const std::uint64_t number = std::stoull(message.substr(hash + 1));
  if (number != last + 1) return false;
  last = number;
  const auto told = nlohmann::json::parse(header_text(record, "penstock-replay"), nullptr, false);
  const bool right = told.is_object() && header_text(record, "penstock-replay-queue") == kQueue &&
                     !header_text(record, "penstock-derived").empty();
  run_.rules().check(Rule::kCopiesSent, right,
                     [&] { return message + " does not say which replay has made it"; });
  if (right) ++taken_[told["id"]];
  return true;
}

void SentChecks::check_end() {
  for (const auto& [replay, sent] : sent_) {
    run_.rules().check(Rule::kCopiesSent, taken_[replay] == sent, [&] {
      return replay + " has sent " + std::to_string(sent) + " copies to another queue, " +
             std::to_string(taken_[replay]) + " have come";
    });
  }
}

}  // namespace penstock::simulation
