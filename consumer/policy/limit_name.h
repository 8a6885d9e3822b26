// The name of a limit as written in the config file: text with placeholders that each job fills in.
//
//   name        := (text | placeholder)+
//   placeholder := "{account}" | "{type}" | "{queue}" | "{args" pointer "}"
//   text        := printable characters but "{" and "}"
//   pointer     := a JSON pointer (RFC 6901) with at least one token and without "}"
//
// "crm/{args/region}" is a separate limit for every value of the argument `region`. Pure; may be
// used from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topics/json/json_pointer.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxLimitNameBytes = 255;  // as written

struct LimitName {
  enum class Part : std::uint8_t { kText, kAccount, kType, kQueue, kArgument };
  struct Segment {
    Part part = Part::kText;
    std::string text = {};     // of kText
    JsonPointer pointer = {};  // of kArgument
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  std::string text;  // as written
  std::vector<Segment> segments;

  [[nodiscard]] bool has(Part part) const;
  // Whether some job could fill it in to `name`, or `name` is the text as written.
  [[nodiscard]] bool could_be(std::string_view name) const;
  friend bool operator==(const LimitName&, const LimitName&) = default;
};

[[nodiscard]] Result<LimitName> parse_limit_name(std::string_view text);

}  // namespace penstock
