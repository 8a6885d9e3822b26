// Makes texts from outside (a handler's error, the beginning of an answer, an exception's what())
// fit for logs, headers and JSON: one line, valid UTF-8, bounded. Pure functions, which may be
// called from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "consumer/policy/error_pattern.h"

namespace penstock {

inline constexpr std::size_t kMaxReasonBytes = 1024;
inline constexpr std::size_t kMaxQuotedBytes = 120;

// Control characters become blanks and bytes that are not UTF-8 become '?'; cut at kMaxReasonBytes.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t max_bytes = kMaxReasonBytes);

// An error's name from outside, for retry_on and discard_on.
[[nodiscard]] inline std::string error_class(std::string_view name) {
  return one_line(name, kMaxErrorClassBytes);
}

// The beginning of the text in quotes, to show invalid output in a message: "Traceback (most
// rec..."
[[nodiscard]] std::string quoted_start(std::string_view text);

}  // namespace penstock
