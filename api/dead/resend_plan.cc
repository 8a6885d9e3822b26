#include "api/dead/resend_plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "consumer/job/derived_id.h"
#include "topics/json/json_splice.h"
#include "topics/record/dead_letter.h"
#include "topics/record/own_headers.h"
#include "topics/record/record_headers.h"

namespace penstock {
namespace {

constexpr std::string_view kResentEnding = "/resent";

tl::unexpected<NotSent> not_sent(const BadRecord& bad) {
  return tl::unexpected(NotSent{std::string(to_string(dead_reason(bad.reason))),
                                bad.member.empty() ? bad.detail : bad.member + ": " + bad.detail});
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The record with this id instead of its own, if it has one; everything else as it was written.
std::string with_id(std::string_view value, std::string_view id) {
  JsonDocument document;
  if (document.parse(value)) return std::string(value);
  return with_member(document, "id", json_string(id));
}

class SameJson {
 public:
  // Both must be valid.
  SameJson(JsonDocument& a, JsonDocument& b) : a_(a), b_(b) {}

  [[nodiscard]] bool values(JsonToken a, JsonToken b) {
    if (a_.kind(a) != b_.kind(b)) return a_.raw(a) == b_.raw(b);
    switch (a_.kind(a)) {
      case '"':
        return a_.string(a) == b_.string(b);
      case '{':
        return objects(a, b);
      case '[':
        return arrays(a, b);
      default:
        return a_.raw(a) == b_.raw(b);
    }
  }

 private:
  bool objects(JsonToken a, JsonToken b) {
    std::map<std::string, JsonToken, std::less<>> others;
    b_.each_member(b, [&](std::string_view name, JsonToken value) { others.emplace(name, value); });
    std::size_t members = 0;
    bool same = true;
    a_.each_member(a, [&](std::string_view name, JsonToken value) {
      ++members;
      const auto other = others.find(name);
      same = same && other != others.end() && values(value, other->second);
    });
    return same && members == others.size();
  }

  bool arrays(JsonToken a, JsonToken b) {
    std::vector<JsonToken> others;
    b_.each_element(b, [&](JsonToken value) { others.push_back(value); });
    std::size_t elements = 0;
    bool same = true;
    a_.each_element(a, [&](JsonToken value) {
      same = same && elements < others.size() && values(value, others[elements]);
      ++elements;
    });
    return same && elements == others.size();
  }

  JsonDocument& a_;
  JsonDocument& b_;
};

std::vector<Header> derived_header() { return {{std::string(kDerivedHeader), "1"}}; }

ResendRecord retry_of(const Candidate& candidate) {
  ResendRecord retry{
      candidate.record.account, "{\"op\":\"retry\",\"id\":" + json_string(candidate.id) + "}", {}};
  if (candidate.id.size() > kMaxIdBytes) retry.headers = derived_header();
  return retry;
}

}  // namespace

bool is_same_json(std::string_view a, std::string_view b) {
  if (a == b) return true;
  JsonDocument first, second;
  if (first.parse(a) || second.parse(b)) return false;
  return SameJson(first, second).values(JsonDocument::root(), JsonDocument::root());
}

tl::expected<Candidate, NotSent> ResendPlan::prepare(const DeadEntry& entry,
                                                     const RepairedRecord* repaired) {
  if (entry.cut_bytes && !repaired) {
    return tl::unexpected(
        NotSent{std::string(kCutReason), "the record had " + std::to_string(*entry.cut_bytes) +
                                             " bytes, of which only the first are stored: have its "
                                             "producer send it again, in parts"});
  }
  const bool is_moved = repaired && repaired->account && repaired->account != entry.key;
  const bool is_changed =
      repaired && (is_moved || !entry.value || !is_same_json(*entry.value, repaired->value));
  const std::optional<std::string>& account = is_moved ? repaired->account : entry.key;
  std::optional<std::string> value = entry.value;
  if (is_changed) value = repaired->value;
  const auto job =
      decoder_.decode(account, value, entry.derived ? kMaxDerivedIdBytes : kMaxIdBytes);
  if (!job) return not_sent(job.error());
  Candidate candidate;
  candidate.record = {*account, *std::move(value), entry.headers};
  candidate.is_command = job->op != Op::kEnqueue;
  candidate.is_retried = entry.is_job() && !is_changed;
  // A copy, because the decoder's views point into what identify() changes.
  const std::string id(job->id);
  const bool keeps_identity = entry.is_job() && is_changed && !is_moved;
  if (auto identified = identify(candidate, entry, id, keeps_identity); !identified)
    return tl::unexpected(identified.error());
  std::vector<HeaderView> views;
  for (const Header& header : candidate.record.headers) views.push_back(view_of(header));
  if (const auto bad = check_headers(views)) return not_sent(*bad);
  return candidate;
}

tl::expected<void, NotSent> ResendPlan::identify(Candidate& candidate, const DeadEntry& entry,
                                                 std::string_view id, bool is_changed) {
  candidate.id = id;
  if (candidate.id.empty()) candidate.id = entry.source;
  // Without a source, somebody else has written it: its place in the dead topic is as good.
  if (candidate.id.empty())
    candidate.id =
        "dead/" + std::to_string(entry.partition) + "/" + std::to_string(entry.offset.value);
  if (is_changed && candidate.id == entry.id)
    candidate.id = derived_id(candidate.id, kResentEnding);
  std::string& value = candidate.record.value;
  if (candidate.id != id) value = with_id(value, candidate.id);
  if (value.size() > kMaxValueBytes) {
    return tl::unexpected(NotSent{std::string(to_string(DeadReason::kTooLarge)),
                                  "the record has no room for an id; make it smaller"});
  }
  if (candidate.id.size() > kMaxIdBytes) {
    const std::vector<Header> derived = derived_header();
    candidate.record.headers.insert(candidate.record.headers.end(), derived.begin(), derived.end());
  }
  return {};
}

std::vector<ResendRecord> ResendPlan::records(const Candidate& candidate, Standing standing) {
  if (candidate.is_command || standing == Standing::kNone) return {candidate.record};
  if (standing == Standing::kThere) return {};
  if (!candidate.is_retried)
    return standing == Standing::kUnknown ? std::vector{candidate.record}
                                          : std::vector<ResendRecord>();
  if (standing == Standing::kDead) return {retry_of(candidate)};
  return {retry_of(candidate), candidate.record};
}

}  // namespace penstock
