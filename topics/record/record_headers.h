// The maximum size of a record's headers. Headers are preserved in every row of the job and in its
// dead record, so a job with larger ones would not fit into a commit. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "topics/log.h"
#include "topics/record/bad_record.h"

namespace penstock {

// Names and values, plus kHeaderFrameBytes per header.
inline constexpr std::size_t kMaxHeadersBytes = 256 << 10;
// For the headers whose names begin with "penstock-", which Penstock adds and removes.
inline constexpr std::size_t kMaxReservedHeadersBytes = 64 << 10;
inline constexpr std::size_t kHeaderFrameBytes = 16;

struct HeaderBytes {
  std::size_t own = 0;
  std::size_t reserved = 0;
};
[[nodiscard]] HeaderBytes bytes_of(std::span<const HeaderView> headers);

// What is wrong with the size of the headers, if anything.
[[nodiscard]] std::optional<BadRecord> check_headers(std::span<const HeaderView> headers);

}  // namespace penstock
