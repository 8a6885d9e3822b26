#include "tests/topics/record/decoder_agreement.h"

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

bool same_json(std::string_view strict, std::string_view reference) {
  if (strict.empty() || reference.empty()) return strict.empty() == reference.empty();
  return nlohmann::ordered_json::parse(strict) == nlohmann::ordered_json::parse(reference);
}

std::optional<std::string> difference(const BulkRef& strict, const BulkRef& reference) {
  if (strict.id != reference.id) return "bulk id";
  if (strict.index != reference.index) return "bulk index";
  if (strict.size != reference.size) return "bulk size";
  if (!same_json(strict.on_done, reference.on_done)) return "on_done";
  return std::nullopt;
}

std::optional<std::string> difference(const JobRecord& strict, const JobRecord& reference) {
  if (strict.op != reference.op) return "op";
  if (strict.account != reference.account) return "account";
  if (strict.type != reference.type) return "type";
  if (strict.id != reference.id) return "id";
  if (!same_json(strict.args, reference.args)) return "args";
  if (strict.run_at != reference.run_at) return "run_at";
  if (strict.expires_at != reference.expires_at) return "expires_at";
  if (strict.priority != reference.priority) return "priority";
  if (strict.weight != reference.weight) return "weight";
  if (strict.unique_key != reference.unique_key) return "unique_key";
  if (!same_json(strict.meta, reference.meta)) return "meta";
  if (strict.bulk.has_value() != reference.bulk.has_value()) return "bulk";
  return strict.bulk ? difference(*strict.bulk, *reference.bulk) : std::nullopt;
}

std::string said(const tl::expected<JobRecord, BadRecord>& result) {
  if (result) return "good";
  return std::string(to_string(result.error().reason)) + " of \"" + result.error().member +
         "\": " + result.error().detail;
}

}  // namespace

std::optional<std::string> DecoderPair::disagreement(std::optional<std::string_view> key,
                                                     std::optional<std::string_view> value) {
  const auto strict = strict_.decode(key, value);
  const auto reference = reference_.decode(key, value);
  const std::string both = "strict: " + said(strict) + "; reference: " + said(reference);
  if (strict.has_value() != reference.has_value()) return both;
  if (strict) {
    const auto different = difference(*strict, *reference);
    return different ? std::optional("both good, but not the same " + *different) : std::nullopt;
  }
  if (strict.error().reason != reference.error().reason) return both;
  const bool names_member = strict.error().reason == BadReason::kBadField;
  return names_member && strict.error().member != reference.error().member ? std::optional(both)
                                                                           : std::nullopt;
}

DecoderPair::Verdict DecoderPair::verdict(std::string_view key, std::string_view value) {
  const auto record = strict_.decode(key, value);
  if (record) return {"good", ""};
  return {std::string(to_string(record.error().reason)), record.error().member};
}

}  // namespace penstock
