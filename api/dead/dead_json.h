// A dead record as JSON, for lists and for programs that repair records (docs/cli.md). Bytes that
// are not UTF-8 are shown as hex digits under another name: `account_hex`, `value_hex`. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/dead/dead_entry.h"

namespace penstock {

// How much of a record is shown.
struct DeadShown {
  std::size_t value_bytes = 4 << 10;
  std::size_t headers = 32;
  std::size_t header_bytes = 256;  // of each header's value

  [[nodiscard]] static constexpr DeadShown everything() { return {SIZE_MAX, SIZE_MAX, SIZE_MAX}; }
};

// {"queue","partition","offset","at","reason","detail","source","attempts","type","id","account",
//  "bytes","value","headers":[{"name","value"}]}; null where there is nothing. What is shown only in
// part has `value_cut` or `headers_cut`; what was stored only in part has `original_bytes`.
[[nodiscard]] nlohmann::ordered_json dead_json(const DeadEntry& entry, std::string_view queue,
                                               const DeadShown& shown = {});

}  // namespace penstock
