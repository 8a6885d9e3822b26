#include "tests/simulation/reference.h"

#include <bit>
#include <set>

#include "state/rows/bulk_row.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/simulation/settings.h"
#include "topics/values/check.h"

namespace penstock::simulation {

std::string Produced::header(std::string_view name) const {
  for (const Header& one : headers) {
    if (one.name == name) return one.value.value_or("");
  }
  return {};
}

std::string name_of(const CommitFacts& facts) {
  return "p" + std::to_string(facts.partition) + "@" + std::to_string(facts.offset.value);
}

Reference::Reference(std::string topic, PartitionId partition)
    : topic_(std::move(topic)), partition_(partition), store_(this), follower_(store_) {
  facts_.partition = partition;
}

const CommitFacts* Reference::feed(const LogRecord& record) {
  facts_.ended.clear();
  facts_.produced.clear();
  facts_.resurrected = false;
  facts_.offset = record.offset;
  facts_.input_from = facts_.input_next;
  const std::uint64_t seq = follower_.seq();
  const auto verdict = follower_.feed(record.offset, *record.value, record.timestamp);
  PENSTOCK_CHECK(verdict.has_value(), "the reference reads every record");
  const bool honoured = *verdict == Follower::Verdict::kHonoured;
  ignored_ += honoured ? 0 : 1;
  marks_.push_back({honoured, store_.digest(), follower_.seq(), follower_.hash()});
  if (!honoured || follower_.seq() == seq) return nullptr;
  facts_.epoch = follower_.epoch();
  std::string bytes;
  if (store_.get(keys::kMetaInputNext, &bytes)) facts_.input_next = Cursor(bytes).i64();
  return &facts_;
}

bool Reference::honoured(std::int64_t offset) const {
  return offset >= 0 && static_cast<std::size_t>(offset) < marks_.size() &&
         marks_[static_cast<std::size_t>(offset)].honoured;
}
std::uint64_t Reference::digest_at(std::int64_t offset) const {
  return marks_[static_cast<std::size_t>(offset)].digest;
}
std::uint64_t Reference::seq_at(std::int64_t offset) const {
  return marks_[static_cast<std::size_t>(offset)].seq;
}
std::uint64_t Reference::hash_at(std::int64_t offset) const {
  return marks_[static_cast<std::size_t>(offset)].hash;
}

JobRow Reference::row_of(const Digest& job) const {
  const auto& rows = store_.rows();
  const auto identity = rows.find(keys::identity(job));
  if (identity == rows.end()) return {};
  const auto found = rows.find(identity->second);
  if (found == rows.end()) return {};
  return JobRow::decode(found->second).value_or(JobRow{});
}

void Reference::row_put(std::string_view key, std::string_view value, bool fresh) {
  const char kind = key.front();
  if (kind != keys::kOutbox && kind != keys::kDedup) return;
  if (!seen_.emplace(key).second) {
    // A sweep may carry a chunk beside the commit that forgets it; a message never comes back.
    if (kind == keys::kOutbox && fresh) facts_.resurrected = true;
    return;
  }
  if (kind == keys::kOutbox) return messages_put(key, value);
  for (Cursor cursor(value); !cursor.at_end();) {
    Digest digest;
    digest.high = cursor.u64();
    digest.low = cursor.u64();
    facts_.ended.push_back(digest);
  }
}

// A row has one message or several, which are numbered on from the one in its key.
void Reference::messages_put(std::string_view key, std::string_view value) {
  Cursor place(key.substr(1));
  const std::string topic(place.text());
  const auto partition = static_cast<PartitionId>(place.u32());
  const std::string source = topic_ + "/" + std::to_string(partition_) + "@" +
                             std::to_string(follower_.generation().value_or(0));
  std::uint64_t seq = place.u64();
  for (Cursor body(value); !body.at_end(); ++seq) {
    Produced produced;
    produced.topic = topic;
    produced.partition = partition;
    produced.seq = seq;
    produced.source = source;
    produced.message =
        source + ">" + topic + "/" + std::to_string(partition) + "#" + std::to_string(seq);
    const auto optional = [&] {
      const bool present = body.u8() != 0;
      const std::string_view text = body.text();
      return present ? std::optional<std::string>(text) : std::nullopt;
    };
    produced.key = optional();
    produced.value = optional();
    for (std::uint64_t left = body.varint(); left > 0; --left) {
      std::string name(body.text());
      produced.headers.push_back({std::move(name), optional()});
    }
    facts_.produced.push_back(std::move(produced));
  }
}

namespace {

// What is wrong with the counters of bulks; `live` has the live chunks by the prefix of their
// bulk's rows.
std::string torn_bulks(const ReferenceStore& store, std::map<std::string, std::uint64_t>& live) {
  std::map<std::string, std::uint64_t> came;
  for (const auto& [key, value] : store.rows()) {
    if (key.front() != keys::kBulk) continue;
    const std::string prefix(keys::parse_bulk(key).prefix);
    if (key[prefix.size()] == '\2') {
      for (const char byte : value) {
        came[prefix] += static_cast<unsigned>(std::popcount(static_cast<unsigned char>(byte)));
      }
    }
  }
  for (const auto& [key, value] : store.rows()) {
    if (key.front() != keys::kBulk) continue;
    const std::string prefix(keys::parse_bulk(key).prefix);
    if (key[prefix.size()] != '\0') continue;
    const Result<BulkRow> row = BulkRow::decode(value);
    if (!row) return row.error().message;
    if (row->admitted != came[prefix]) return "a bulk counts other chunks than have come";
    if (row->live() != live[prefix]) {
      return "a bulk counts " + std::to_string(row->live()) + " live chunks of " +
             std::to_string(live[prefix]);
    }
  }
  return {};
}

}  // namespace

std::string torn_rows(const ReferenceStore& store) {
  std::string bytes;
  std::size_t identities = 0, jobs = 0;
  std::map<std::string, std::uint64_t> live;
  std::set<JobSeq> places;
  const auto given = store.rows().find(keys::kMetaJobSeq);
  const JobSeq last{given == store.rows().end() ? 0 : Cursor(given->second).i64()};
  for (const auto& [key, value] : store.rows()) {
    const char kind = key.front();
    if (kind == keys::kIdentity) {
      ++identities;
      if (!store.has(value)) return "an identity names a row that is not there";
    }
    if (kind != keys::kDue && kind != keys::kLine && kind != keys::kUnknownType &&
        kind != keys::kEnded) {
      continue;
    }
    ++jobs;
    const Result<JobRow> row = JobRow::decode(value);
    if (!row) return row.error().message;
    const auto identity = store.rows().find(keys::identity(identity_digest(row->account, row->id)));
    if (identity == store.rows().end()) return "job " + row->id + " has a row but no identity";
    if (identity->second != key) return "job " + row->id + " has two rows";
    if (!places.insert(row->seq).second) return "job " + row->id + " has another job's place";
    if (row->seq > last) return "job " + row->id + " has a place that may be given again";
    if (kind != keys::kEnded && row->bulk_index >= 0)
      ++live[keys::bulk_prefix(row->account, row->bulk)];
  }
  if (identities != jobs) return "there are more identities than jobs";
  const auto counted = store.rows().find(keys::kMetaJobs);
  if (counted != store.rows().end() && Cursor(counted->second).u64() != jobs) {
    return "the count of jobs does not agree with the rows";
  }
  return torn_bulks(store, live);
}

std::string stale_expiry(const ReferenceStore& store) {
  const std::string all(1, keys::kExpiry), end = keys::after_prefix(all);
  for (auto at = store.rows().lower_bound(all); at != store.rows().end() && at->first < end; ++at) {
    const keys::TimeKey expiry = keys::parse_time(at->first);
    Cursor names(at->second);
    const std::string account(names.text()), id(names.text());
    const auto identity = store.rows().find(keys::identity(identity_digest(account, id)));
    if (identity == store.rows().end()) return account + "/" + id + " is gone and would expire";
    const Result<JobRow> row = JobRow::decode(store.rows().at(identity->second));
    if (!row) return row.error().message;
    if (is_terminal(row->state)) return account + "/" + id + " has ended and would expire";
    if (row->seq != expiry.seq || row->expires_at != expiry.at)
      return account + "/" + id + " would expire in place of an earlier job of its id";
  }
  return {};
}

}  // namespace penstock::simulation
