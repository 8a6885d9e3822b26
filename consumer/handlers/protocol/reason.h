// Texts from outside (a handler's error, an answer's first bytes, an exception's what()) made fit
// for logs, headers and JSON: one line, valid UTF-8, bounded. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "consumer/policy/error_pattern.h"

namespace penstock {

inline constexpr std::size_t kMaxReasonBytes = 1024;
inline constexpr std::size_t kMaxQuotedBytes = 120;

// Control characters become blanks, bytes that are no UTF-8 become '?'; cut at kMaxReasonBytes.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t max_bytes = kMaxReasonBytes);

// An error's name from outside, for retry_on and discard_on.
[[nodiscard]] inline std::string error_class(std::string_view name) {
  return one_line(name, kMaxErrorClassBytes);
}

// The start of it in quotes, to name rubbish in a message: "Traceback (most rec..."
[[nodiscard]] std::string quoted_start(std::string_view text);

}  // namespace penstock
