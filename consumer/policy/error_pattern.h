// The error classes by which a policy distinguishes failures (`retry_on` and `discard_on`, see
// docs/config.md). A failure's error class is a short text: the status of an HTTP answer ("503"),
// one of the names below, the type of a C++ exception, a name given by the handler, or nothing.
// Pure; may be used from any thread.
//
//   pattern := status | range | name
//   status  := three digits, 100 to 599                "503"
//   range   := "1xx" | "2xx" | "3xx" | "4xx" | "5xx"   any status of that hundred
//   name    := 1 to 128 printable bytes, not beginning with a digit: exactly that class
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxErrorClassBytes = 128;

// Penstock's own error classes.
inline constexpr std::string_view kTimeoutError = "timeout";         // the attempt overran its time
inline constexpr std::string_view kConnectionError = "connection";   // no HTTP answer
inline constexpr std::string_view kBadAnswerError = "bad_answer";    // one that breaks the rules
inline constexpr std::string_view kExitedError = "exited";           // the exec child died
inline constexpr std::string_view kBadEnqueueError = "bad_enqueue";  // a follow-up was refused
// this process has no handler for the type
inline constexpr std::string_view kNoHandlerError = "no_handler";
inline constexpr std::string_view kChanceError = "chance";  // the handler "fail:" chose to fail

struct ErrorPattern {
  std::string text;

  [[nodiscard]] bool matches(std::string_view error_class) const;
  friend bool operator==(const ErrorPattern&, const ErrorPattern&) = default;
};

[[nodiscard]] Result<ErrorPattern> parse_error_pattern(std::string_view text);

// A failure without a class matches no pattern.
[[nodiscard]] bool matches_any(std::span<const ErrorPattern> patterns,
                               std::string_view error_class);

}  // namespace penstock
