// The id that the log assigns to a topic when it is created; a topic that is deleted and created
// again gets another one. Its text has the form that Kafka's own tools use (base64url, 22
// characters), so an operator can compare it with `kafka-topics.sh --describe`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace penstock {

struct TopicUuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // False: the log has not reported an id (brokers before 2.8).
  [[nodiscard]] constexpr bool known() const { return high != 0 || low != 0; }
  friend constexpr auto operator<=>(const TopicUuid&, const TopicUuid&) = default;
};

// True if both are known and they identify different topics.
[[nodiscard]] constexpr bool are_different(const TopicUuid& a, const TopicUuid& b) {
  return a.known() && b.known() && a != b;
}

[[nodiscard]] std::string to_text(const TopicUuid& uuid);

}  // namespace penstock
