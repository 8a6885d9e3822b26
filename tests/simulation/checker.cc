#include "tests/simulation/checker.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "consumer/slots/allotment.h"
#include "state/rows/bulk_row.h"
#include "state/rows/dedup_index.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/record/dead_record.h"

namespace penstock::simulation {
namespace {

std::string header(const LogRecord& record, std::string_view name) {
  for (const HeaderView& one : record.headers) {
    if (one.name == name) return std::string(one.value.value_or(""));
  }
  return {};
}

std::string header(const Produced& message, std::string_view name) {
  for (const Header& one : message.headers) {
    if (one.name == name) return one.value.value_or("");
  }
  return {};
}

// What the dead topic refuses as too large comes as its head.
bool is_same(const std::optional<std::string>& sent, const LogRecord& arrived) {
  if (sent == arrived.value) return true;
  return sent && arrived.value && !header(arrived, kCutHeader).empty() &&
         sent->starts_with(*arrived.value);
}

// The token of the attempt that asked for a follow-up job.
std::string asker(const std::string& record) {
  const std::size_t from = record.find("\"from\":\"");
  if (from == std::string::npos) return {};
  return record.substr(from + 8, record.find('"', from + 8) - from - 8);
}

// The cursor that asked for it, as JSON.
std::string cursor_with(const std::string& record) {
  const std::size_t from = record.find("\"with\":\"");
  if (from == std::string::npos) return {};
  return record.substr(from + 7, record.find('"', from + 8) - from - 6);
}

std::string at(const CommitFacts& facts) {
  return "p" + std::to_string(facts.partition) + "@" + std::to_string(facts.offset.value);
}

}  // namespace

std::string name_of(const Job& job) { return job.account + "/" + job.id; }

Checker::Checker(const Settings& settings, SimulatedCluster& cluster)
    : settings_(settings), cluster_(cluster), model_(settings.queue.partitions) {
  for (PartitionId id = 0; id < settings.queue.partitions; ++id) {
    references_.push_back(std::make_unique<Reference>(names().topic(), id));
  }
  for (PartitionId id = 0; id < kOwnerPartitions; ++id) {
    owners_.push_back(std::make_unique<Reference>(slots_topic(kPrefix), id));
  }
}

void Checker::appended(const std::string& topic, PartitionId partition, const LogRecord& record) {
  if (rules_.recreated) return;
  if (topic == names().state_topic()) {
    const CommitFacts* const facts = references_[static_cast<std::size_t>(partition)]->feed(record);
    logs_.appended(partition, facts ? record.value->size() : 0);
    if (facts) committed(*facts);
    return;
  }
  if (topic == slots_state_topic(kPrefix)) {
    const CommitFacts* const facts = owners_[static_cast<std::size_t>(partition)]->feed(record);
    if (facts) owner_committed(*facts);
    return;
  }
  if (topic == names().topic()) {
    const Input& input = model_.read(partition, record, cluster_.now());
    early_.appended(input, record.offset);
    if (!input.message.empty()) {
      rules_.check(Rule::kOldest, input.oldest >= 1 && input.oldest <= input.last + 1, [&] {
        return input.message + " says that " + std::to_string(input.oldest) + " is the oldest";
      });
    }
    if (input.taken == Taken::kSlots) shared_rate_.told(partition, record);
    if (input.taken == Taken::kJob) {
      batches_.appended(input.job, references_[static_cast<std::size_t>(partition)]->epoch());
    }
    if (!input.message.empty() && input.taken != Taken::kIgnored) {
      arrived(topic, partition, record, input.message);
    }
    return;
  }
  if (topic == control_topic(kPrefix)) {
    shared_.control_appended(record, cluster_.now());
    return limits_.control_appended(record, cluster_.now());
  }
  arrived(topic, partition, record, header(record, "penstock-message"));
}

void Checker::arrived(const std::string& topic, PartitionId partition, const LogRecord& record,
                      const std::string& message) {
  const auto found = sent_.find(message);
  const bool same = found != sent_.end() && found->second.topic == topic &&
                    found->second.partition == partition && found->second.key == record.key &&
                    is_same(found->second.value, record);
  rules_.check(Rule::kOutboxOnce, same, [&] {
    return message + " arrived, but no honoured commit has produced it like that";
  });
  if (same) ++found->second.arrivals;
}

void Checker::committed(const CommitFacts& facts) {
  rules_.check(
      Rule::kInputMoves,
      facts.input_next >= facts.input_from && facts.input_next <= model_.size(facts.partition),
      [&] { return at(facts) + " moves the input to " + std::to_string(facts.input_next); });
  rules_.check(Rule::kOutboxOnce, !facts.resurrected,
               [&] { return at(facts) + " brings back a message that was gone"; });
  if (rules_.broken) return;
  crashes_.committed(facts, *references_[static_cast<std::size_t>(facts.partition)]);
  for (const Produced& message : facts.produced) {
    if (message.topic == slots_topic(kPrefix)) {
      say(at(facts) + " tells the owner of " + message.key.value_or("") + " " +
          message.value.value_or(""));
    }
    produced(facts, message);
  }
  for (const Digest& digest : facts.ended) ended(facts, digest);
  for (const Produced& message : facts.produced) bulk_done(facts, message);
  for (std::int64_t i = facts.input_from; i < facts.input_next; ++i) input_taken(facts, i);
  const ReferenceStore& store = references_[static_cast<std::size_t>(facts.partition)]->store();
  logs_.committed(facts.partition, store);
  if (facts.offset.value % 4 != 0) return;
  const std::string torn = torn_rows(store);
  rules_.check(Rule::kWholeRows, torn.empty(), [&] { return at(facts) + ": " + torn; });
  const std::string stale = stale_expiry(store);
  rules_.check(Rule::kExpiries, stale.empty(), [&] { return at(facts) + ": " + stale; });
}

void Checker::owner_committed(const CommitFacts& facts) {
  rules_.check(Rule::kOutboxOnce, !facts.resurrected,
               [&] { return "the owner's " + at(facts) + " brings back a message that was gone"; });
  for (const Produced& message : facts.produced) {
    say("the owner's " + at(facts) + " tells p" + std::to_string(message.partition) + " " +
        message.key.value_or("") + " " + message.value.value_or(""));
    produced(facts, message);
  }
  shared_.committed(facts.partition, owners_[static_cast<std::size_t>(facts.partition)]->store(),
                    cluster_.now());
}

// What is left of limits that nobody uses, on either side; empty: nothing.
std::string Checker::slots_left() const {
  std::string left;
  for (const auto& reference : references_) {
    for (const auto& [key, value] : reference->store().rows()) {
      if (key.front() == keys::kShare) left += " of " + key.substr(1) + " at a partition;";
    }
  }
  for (const auto& owner : owners_) {
    for (const auto& [key, value] : owner->store().rows()) {
      if (key.front() != keys::kAllotment) continue;
      left += " of " + key.substr(1) + " at its owner, " +
              std::to_string(Allotment::decode(value).in_use()) + " out;";
    }
  }
  return left;
}

void Checker::produced(const CommitFacts& facts, const Produced& message) {
  const auto [entry, fresh] =
      sent_.try_emplace(message.message, Sent{message.topic, message.partition, message.source,
                                              message.seq, message.key, message.value, 0});
  rules_.check(Rule::kOutboxOnce, fresh,
               [&] { return at(facts) + " produces " + message.message + " again"; });
  if (message.topic == names().dead_topic()) {
    const std::string source = header(message, "penstock-source");
    const std::string reason = header(message, "penstock-reason");
    const auto record = nlohmann::json::parse(message.value.value_or(""), nullptr, false);
    if (record.is_object() && message.key) {
      Job* const job = model_.find(*message.key, record.value("id", ""));
      if (job) job->buried = true;
      if (job) errors_.buried(*job, reason);
      if (job) unique_.buried(*job, reason);
      if (job && reason == "crashed") {
        crashes_.buried(facts, *job);
        rules_.check(Rule::kDeaths, job->deaths >= 3, [&] {
          return at(facts) + " buries " + name_of(*job) + " after " + std::to_string(job->deaths) +
                 " deaths";
        });
      }
    }
    if (!reason.starts_with("bad_") && reason != "too_large") return;
    rules_.check(Rule::kBadRecord, buried_.try_emplace(source, message.message).second,
                 [&] { return at(facts) + " buries " + source + " again"; });
  }
  if (const std::string cursor = cursor_with(message.value.value_or("")); !cursor.empty())
    long_.produced_with(cursor);
  const std::string from = asker(message.value.value_or(""));
  if (!from.empty() && header(message, "penstock-origin").empty() &&
      message.topic == names().topic()) {
    const auto asked = asked_.find(from);
    const bool once = asked != asked_.end() && --asked->second >= 0;
    rules_.check(Rule::kFollowUps, once,
                 [&] { return at(facts) + " produces more than attempt " + from + " asked for"; });
  }
  if (const std::string origin = header(message, "penstock-origin"); !origin.empty()) {
    rules_.check(Rule::kForwarded, forwarded_.insert(origin).second,
                 [&] { return at(facts) + " forwards " + origin + " again"; });
  }
}

void Checker::ended(const CommitFacts& facts, const Digest& digest) {
  Job* const job = model_.find(digest);
  const bool known =
      job && job->partition == facts.partition && job->offset.value < facts.input_next;
  rules_.check(Rule::kNoPhantom, known,
               [&] { return at(facts) + " ends a job that no record asked for"; });
  if (!known) return;
  ++job->ends;
  const int allowed = 1 + job->reruns + (settings_.short_window ? job->repeats : 0);
  rules_.check(Rule::kOneCompletion, job->ends <= allowed, [&] {
    return at(facts) + " ends " + name_of(*job) + " for the " + std::to_string(job->ends) +
           ". time";
  });
  batches_.ended(*job);
  job->ended_in = facts.epoch.value;
  job->ended_at = cluster_.wall();
  job->ended_by = facts.offset;
  job->kept =
      references_[static_cast<std::size_t>(facts.partition)]->store().has(keys::identity(digest));
  unique_.ended(facts, *job);
  if (job->deleted) check_deleted(facts, *job, true);
  say(at(facts) + " ends " + name_of(*job));
}

// A chunk may come twice, the second time when the bulk has been forgotten: it begins another.
bool Checker::may_be_new(const Bulk& bulk) const {
  return settings_.short_window && bulk.account != kTwinAccount;
}

// The ends of this commit have been seen. A chunk that is run again by a command may have had
// another end.
void Checker::bulk_done(const CommitFacts& facts, const Produced& message) {
  const std::string text = message.value.value_or("");
  if (message.topic != names().topic() || text.find("/on_done\"") == text.npos) return;
  const auto numbers = nlohmann::json::parse(text)["args"]["bulk"];
  if (!header(message, "penstock-origin").empty() || !numbers.is_object()) return;
  Bulk* const bulk = model_.find_bulk(message.key.value_or(""), numbers["id"]);
  const auto says = [&] { return at(facts) + " produces " + text; };
  if (bulk && bulk->on_done == 1 && may_be_new(*bulk)) return;
  if (!rules_.check(Rule::kOnDone, bulk && bulk->whole() && ++bulk->on_done == 1, says)) return;
  std::int64_t dead = 0;
  bool all_ended = true, again = false;
  for (const auto& [index, chunk] : bulk->chunks) {
    dead += chunk->buried ? 1 : 0;
    again = again || chunk->reruns > 0 || may_be_forgotten(*chunk);
    all_ended = all_ended && (chunk->ends > 0 || chunk->reruns > 0);
  }
  const std::int64_t sum =
      numbers["succeeded"].get<std::int64_t>() + numbers["dead"].get<std::int64_t>() +
      numbers["cancelled"].get<std::int64_t>() + numbers["expired"].get<std::int64_t>();
  rules_.check(Rule::kOnDone, all_ended && sum == bulk->size && (again || numbers["dead"] == dead),
               says);
  if (settings_.short_window && bulk->account != kTwinAccount) return;
  const auto& rows = references_[static_cast<std::size_t>(facts.partition)]->store().rows();
  const auto head = rows.find(keys::bulk_head(keys::bulk_prefix(bulk->account, bulk->id)));
  const Result<BulkRow> row = BulkRow::decode(head == rows.end() ? std::string() : head->second);
  const std::string id =
      bulk->id + "@" + (row ? std::to_string(row->first_seq.value) : "") + "/on_done";
  rules_.check(Rule::kBulkAgain, text.find("\"" + id + "\"") != text.npos, says);
  if (tell_) tell_(*bulk);
}

// What the commit takes from the input must be in it too.
void Checker::input_taken(const CommitFacts& facts, std::int64_t offset) {
  const Input& input = model_.at(facts.partition, offset);
  const ReferenceStore& store = references_[static_cast<std::size_t>(facts.partition)]->store();
  const std::string place = place_name(names().topic(), facts.partition, Offset{offset});
  if (input.job && input.job->id == "light-2") light_account_ = input.job->account;
  if (input.job && input.job->id == "small-2") small_waits_ = true;
  if (input.taken == Taken::kJob || input.taken == Taken::kRepeat) {
    const bool there = input.job->ends > 0 || store.has(keys::identity(input.job->digest));
    rules_.check(Rule::kNothingLost, there,
                 [&] { return at(facts) + " takes " + name_of(*input.job) + " and forgets it"; });
    unique_.taken(facts, store, *input.job, cluster_.now());
    newcomers_.taken(*input.job, cluster_.now());
    const bool ended = input.taken == Taken::kRepeat && input.job->ends > 0;
    if (ended) rules_.check(Rule::kDedup, true, [] { return ""; });
  }
  early_.taken(facts, input, Offset{offset});
  const bool stops = input.op == Op::kCancel || input.op == Op::kDelete;
  if (input.taken == Taken::kCommand && stops && input.job && input.job->offset.value < offset) {
    stop_taken(facts, *input.job, input.op);
  }
  if (input.taken == Taken::kBad) {
    rules_.check(Rule::kBadRecord, buried_.contains(place),
                 [&] { return at(facts) + " takes the bad record " + place + " and drops it"; });
  }
  if (input.taken == Taken::kMisrouted) {
    rules_.check(Rule::kForwarded, forwarded_.contains(place),
                 [&] { return at(facts) + " takes " + place + " and does not forward it"; });
  }
}

// A cancel or a delete of a job that was there, if it had not ended before.
void Checker::stop_taken(const CommitFacts& facts, Job& job, Op op) {
  const bool ended_by_it = job.starts == 0 && !job.cancelled_in && !job.expires_at;
  job.cancelled_in = facts.epoch.value;
  rules_.check(Rule::kCancel, true, [] { return ""; });
  if (op != Op::kDelete) return;
  job.deleted = true;
  if (job.ends > 0 && job.reruns == 0) check_deleted(facts, job, ended_by_it || job.kept);
}

// `had_lock`: whether it was there, so that its lock, if any, has gone with it.
void Checker::check_deleted(const CommitFacts& facts, const Job& job, bool had_lock) {
  if (may_be_forgotten(job)) return;
  const ReferenceStore& store = references_[static_cast<std::size_t>(facts.partition)]->store();
  rules_.check(Rule::kDeleted, !store.has(keys::identity(job.digest)),
               [&] { return at(facts) + " keeps " + name_of(job) + ", which was deleted"; });
  if (had_lock) unique_.deleted(store, job);
}

void Checker::applied(std::size_t host, PartitionId partition, const LogPosition& position,
                      bool restoring) {
  if (rules_.recreated) return;
  // Where somebody else cut the log, its first record may be a displaced owner's: a restore that
  // begins there stops before it owns anything, and one that does not stop is checked at its claim.
  if (restoring && settings_.foreign_trims) return;
  const Reference& reference = *references_[static_cast<std::size_t>(partition)];
  const bool counts = reference.honoured(position.at.value) &&
                      reference.seq_at(position.at.value) == position.seq &&
                      reference.hash_at(position.at.value) == position.hash;
  rules_.check(Rule::kCommitsHonoured, counts, [&] {
    return "host " + std::to_string(host) + " counts seq " + std::to_string(position.seq) +
           " at p" + std::to_string(partition) + "@" + std::to_string(position.at.value) +
           ", which the log does not honour";
  });
}

void Checker::restored(std::size_t host, PartitionId partition, Offset epoch,
                       const MemoryStore::Contents& contents) {
  if (rules_.recreated) return;
  const Reference& reference = *references_[static_cast<std::size_t>(partition)];
  std::uint64_t digest = 0;
  for (const auto& [key, value] : contents.rows) digest ^= row_hash(key, value);
  const std::uint64_t seq = contents.position ? contents.position->seq : 0;
  rules_.check(
      Rule::kRestored,
      digest == reference.digest_at(epoch.value) && seq == reference.seq_at(epoch.value), [&] {
        return "host " + std::to_string(host) + " has other rows of p" + std::to_string(partition) +
               " at its claim @" + std::to_string(epoch.value) +
               " than the honoured history (seq " + std::to_string(seq) + ", honoured " +
               std::to_string(reference.seq_at(epoch.value)) + ")";
      });
}

void Checker::standby(PartitionId partition, std::int64_t goal, std::uint64_t digest,
                      std::uint64_t seq, bool whole) {
  if (rules_.recreated) return;
  const Reference& reference = *references_[static_cast<std::size_t>(partition)];
  if (!whole && settings_.foreign_trims) return;  // it says so
  rules_.check(
      Rule::kStandby,
      whole && digest == reference.digest_at(goal - 1) && seq == reference.seq_at(goal - 1), [&] {
        return "a standby of p" + std::to_string(partition) + " at @" + std::to_string(goal - 1) +
               (whole ? " has other rows than the honoured history (seq "
                      : " finds the log's start missing (seq ") +
               std::to_string(seq) + ", honoured " + std::to_string(reference.seq_at(goal - 1)) +
               ")";
      });
}

void Checker::recreated() { rules_.recreated = true; }

bool Checker::starts_after_recreation(const AttemptRequest& request) {
  if (!rules_.recreated) return false;
  rules_.check(Rule::kRecreated,
               !settings_.recreates_queue || settings_.recreates_state ||
                   request.account != kNewTopicsAccount,
               [&] { return request.id + " runs, of a topic that the state is not of"; });
  return true;
}

void Checker::discarded(std::size_t host, PartitionId partition,
                        const std::optional<LogPosition>& copy) {
  if (!rules_.recreated || !settings_.recreates_state || !copy) return;
  const TopicUuid log = cluster_.partition(names().state_topic(), partition).topic_uuid();
  rules_.check(Rule::kRecreated, !are_different(copy->log, log), [&] {
    return "host " + std::to_string(host) + " forgets its copy of p" + std::to_string(partition) +
           " of the topic that was deleted";
  });
}

void Checker::broken(std::size_t host, const std::string& reason) {
  if (rules_.recreated) {
    stopped_ = true;
    return void(rules_.check(Rule::kRecreated, true, [] { return ""; }));
  }
  const bool meant =
      settings_.foreign_trims && reason.find("begins past its base") != std::string::npos;
  stopped_ = stopped_ || meant;
  rules_.check(Rule::kStopsLoudly, meant,
               [&] { return "host " + std::to_string(host) + " is broken: " + reason; });
}

void Checker::given_up(std::size_t host, const std::string& why) {
  rules_.check(Rule::kBufferWaits, why.find("buffer is full") == std::string::npos,
               [&] { return "host " + std::to_string(host) + ": " + why; });
}

}  // namespace penstock::simulation
