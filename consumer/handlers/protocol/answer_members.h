// The members that an answer, or one of its items, may have
// (consumer/handlers/protocol/answer_json.h), and which of them a given object has. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topics/json/json_document.h"

namespace penstock {

enum class AnswerMember : std::uint8_t {
  kOk,
  kNext,
  kError,
  kRetryIn,
  kErrorName,
  kSnooze,
  kDiscard,
  kCancel,
  kEnqueue,
  kItems,
  kToken,
  kHeartbeat,
  kCheckpoint,
  kProgress,
  kId,
};
inline constexpr std::size_t kAnswerMembers = 15;

[[nodiscard]] std::string_view name_of(AnswerMember member);

class AnswerMembers {
 public:
  AnswerMembers() = default;
  // `object` is an object of a parsed document. Other members are ignored.
  AnswerMembers(JsonDocument& document, JsonToken object);

  // A member that is null counts as absent.
  [[nodiscard]] std::optional<JsonToken> find(AnswerMember member) const {
    return tokens_[static_cast<std::size_t>(member)];
  }
  [[nodiscard]] bool has(AnswerMember member) const { return find(member).has_value(); }

 private:
  std::array<std::optional<JsonToken>, kAnswerMembers> tokens_{};
};

}  // namespace penstock
