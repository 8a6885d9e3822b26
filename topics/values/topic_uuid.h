// The id that the log gives to a topic when it is created: a topic that is deleted and created
// again has another one. Written as Kafka's own tools write it (base64url, 22 characters), so that
// an operator can compare it with `kafka-topics.sh --describe`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace penstock {

struct TopicUuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // False: the log has not told it (brokers before 2.8), so it says nothing.
  [[nodiscard]] constexpr bool known() const { return high != 0 || low != 0; }
  friend constexpr auto operator<=>(const TopicUuid&, const TopicUuid&) = default;
};

// Both are known, and they are not the same topic.
[[nodiscard]] constexpr bool are_different(const TopicUuid& a, const TopicUuid& b) {
  return a.known() && b.known() && a != b;
}

[[nodiscard]] std::string to_text(const TopicUuid& uuid);

}  // namespace penstock
