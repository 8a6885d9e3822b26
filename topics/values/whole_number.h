// Whole numbers as text. The whole text must be the number, in decimal, without blanks, a plus sign
// or an exponent. Pure.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace penstock {

// Empty for any other text, and for a number that `Integer` cannot hold.
template <std::integral Integer>
[[nodiscard]] std::optional<Integer> whole_number(std::string_view text) {
  Integer value{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

}  // namespace penstock
