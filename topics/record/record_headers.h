// How large the headers of a record may be. They are preserved, so they are part of every row of
// the job and of its dead record: a job with larger ones does not fit into a commit.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "topics/log.h"
#include "topics/record/bad_record.h"

namespace penstock {

// Names and values, and kHeaderFrameBytes each.
inline constexpr std::size_t kMaxHeadersBytes = 256 << 10;
// Those whose names begin with "penstock-", which Penstock adds and removes.
inline constexpr std::size_t kMaxReservedHeadersBytes = 64 << 10;
inline constexpr std::size_t kHeaderFrameBytes = 16;

struct HeaderBytes {
  std::size_t own = 0;
  std::size_t reserved = 0;
};
[[nodiscard]] HeaderBytes bytes_of(std::span<const HeaderView> headers);

// What is wrong with the size of a record's headers, if anything.
[[nodiscard]] std::optional<BadRecord> check_headers(std::span<const HeaderView> headers);

}  // namespace penstock
