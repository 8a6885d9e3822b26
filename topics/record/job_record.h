// A job record or command (docs/job-record.md): the values of its members, and their bounds. The
// value of a record is one JSON object; the key is the account. topics/record/job_decoder.h reads
// them. Values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxAccountBytes = 255;
inline constexpr std::size_t kMaxValueBytes = 1 << 20;
// What the records that Penstock derives from others may have in addition, for their longer ids.
inline constexpr std::size_t kMaxDerivedRoomBytes = 2048;
inline constexpr std::size_t kMaxTypeBytes = 128;
inline constexpr std::size_t kMaxIdBytes = 128;         // ids that users give
inline constexpr std::size_t kMaxDerivedIdBytes = 255;  // ids that Penstock derives
inline constexpr int kMinPriority = -1000, kMaxPriority = 1000;
inline constexpr int kMinWeight = 1, kMaxWeight = 100;

// Whether `text` is 1 to kMaxTypeBytes of A-Za-z0-9._:-
[[nodiscard]] bool is_type_name(std::string_view text);

enum class Op : std::uint8_t { kEnqueue, kCancel, kRetry, kReschedule, kDelete };

struct BulkRef {
  std::string_view id;
  std::int64_t index = 0;
  std::int64_t size = 0;
  std::string_view on_done;  // raw JSON of a job record, or empty
};

// The members are views into the bytes from which it was read.
struct JobRecord {
  Op op = Op::kEnqueue;
  std::string_view account;
  std::string_view type;  // empty only in a command that gives none
  std::string_view id;    // empty: the identity is derived from the record's place in the log
  std::string_view args;  // raw JSON text, "{}" if the record has none
  std::optional<Time> run_at;
  std::optional<Time> expires_at;
  int priority = 0;
  int weight = 1;
  std::optional<BulkRef> bulk;
  std::optional<std::string_view> unique_key;
  std::string_view meta;  // raw JSON text, or empty
};

}  // namespace penstock
