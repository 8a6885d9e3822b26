// A JSON pointer (RFC 6901) as a value: "" refers to the whole document, "/a/0" to the first
// element of the member "a"; within a token, "~1" stands for "/" and "~0" for "~". Pure; may be
// used from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxPointerBytes = 256;

struct JsonPointer {
  std::string text;
  std::vector<std::string> tokens;  // unescaped

  friend bool operator==(const JsonPointer&, const JsonPointer&) = default;
};

// The message reads: found "a", expected a JSON pointer such as "/segment_id".
[[nodiscard]] Result<JsonPointer> parse_json_pointer(std::string_view text);

}  // namespace penstock
