// The names by which failures are told apart (SPEC section 5, `retry_on` and `discard_on`). A
// failure has an error class, a short text: the status of an HTTP answer ("503"), one of the names
// below, the type of a C++ exception, what a handler calls it, or nothing. Pure, safe from any
// thread.
//
//   pattern := status | range | name
//   status  := three digits, 100 to 599                "503"
//   range   := "1xx" | "2xx" | "3xx" | "4xx" | "5xx"   any status of that hundred
//   name    := 1 to 128 bytes, printable, the first no digit: the very class
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxErrorClassBytes = 128;

// Penstock's own.
inline constexpr std::string_view kTimeoutError = "timeout";         // the attempt overran its time
inline constexpr std::string_view kConnectionError = "connection";   // no HTTP answer
inline constexpr std::string_view kBadAnswerError = "bad_answer";    // one that breaks the rules
inline constexpr std::string_view kExitedError = "exited";           // the exec child died
inline constexpr std::string_view kBadEnqueueError = "bad_enqueue";  // a follow-up was refused
inline constexpr std::string_view kNoHandlerError = "no_handler";    // nothing to run it with here
inline constexpr std::string_view kChanceError = "chance";           // fail: wanted it

struct ErrorPattern {
  std::string text;

  [[nodiscard]] bool matches(std::string_view error_class) const;
  friend bool operator==(const ErrorPattern&, const ErrorPattern&) = default;
};

[[nodiscard]] Result<ErrorPattern> parse_error_pattern(std::string_view text);

// A failure without a class matches nothing.
[[nodiscard]] bool matches_any(std::span<const ErrorPattern> patterns,
                               std::string_view error_class);

}  // namespace penstock
