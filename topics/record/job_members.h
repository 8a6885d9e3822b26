// The members that a job record may have, and which of them a given record has. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topics/json/json_document.h"

namespace penstock {

enum class JobMember : std::uint8_t {
  kOp,
  kType,
  kId,
  kArgs,
  kRunAt,
  kExpiresAt,
  kPriority,
  kWeight,
  kBulk,
  kUniqueKey,
  kMeta,
};
inline constexpr std::size_t kJobMembers = 11;

[[nodiscard]] std::string_view name_of(JobMember member);
[[nodiscard]] std::optional<JobMember> job_member(std::string_view name);

// The values of one record, by member.
class JobMembers {
 public:
  // `record` is an object of a parsed document.
  JobMembers(JsonDocument& document, JsonToken record);

  [[nodiscard]] bool has(JobMember member) const { return token(member) != kAbsent; }
  [[nodiscard]] std::optional<JsonToken> find(JobMember member) const {
    return has(member) ? std::optional(token(member)) : std::nullopt;
  }
  // The first member that is not one of a job record's.
  [[nodiscard]] const std::optional<std::string_view>& unknown() const { return unknown_; }

 private:
  static constexpr JsonToken kAbsent = 0;  // token 0 begins the outermost object

  [[nodiscard]] JsonToken token(JobMember member) const {
    return tokens_[static_cast<std::size_t>(member)];
  }

  std::array<JsonToken, kJobMembers> tokens_{};
  std::optional<std::string_view> unknown_;
};

}  // namespace penstock
