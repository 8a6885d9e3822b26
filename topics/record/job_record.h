// Decodes a job record or command (docs/job-record.md). The value of a record is one JSON object;
// the key is the account.
//
//   JobDecoder decoder;
//   auto record = decoder.decode(key, value);  // a JobRecord, or a BadRecord for the dead topic
//
// A JobRecord consists of views into the record's bytes and into the decoder's buffers. It is valid
// until the decoder's next call, and only as long as the bytes exist. A decoder belongs to one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "topics/values/types.h"

namespace penstock {

inline constexpr std::size_t kMaxAccountBytes = 255;
inline constexpr std::size_t kMaxValueBytes = 1 << 20;
inline constexpr std::size_t kMaxTypeBytes = 128;
inline constexpr std::size_t kMaxIdBytes = 128;         // ids that users give
inline constexpr std::size_t kMaxDerivedIdBytes = 255;  // ids that Penstock derives
inline constexpr int kMinPriority = -1000, kMaxPriority = 1000;
inline constexpr int kMinWeight = 1, kMaxWeight = 100;

enum class Op : std::uint8_t { kEnqueue, kCancel, kRetry, kReschedule, kDelete };

struct BulkRef {
  std::string_view id;
  std::int64_t index = 0;
  std::int64_t size = 0;
  std::string_view on_done;  // raw JSON of a job record, or empty
};

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

// The reasons for which a record by itself can be refused.
enum class BadReason : std::uint8_t { kBadKey, kBadJson, kBadField, kTooLarge };
[[nodiscard]] std::string_view to_string(BadReason reason);

struct BadRecord {
  BadReason reason;
  std::string member;  // JSON pointer to the member at fault; "" for the whole record or its key
  std::string detail;  // one line: what was wrong, where, and what was expected
};

class JobDecoder {
 public:
  // `max_id_bytes` is kMaxDerivedIdBytes for records that Penstock itself produced (follow-ups,
  // replays, forwarded records), kMaxIdBytes otherwise.
  JobDecoder();
  ~JobDecoder();
  JobDecoder(JobDecoder&&) noexcept;
  JobDecoder& operator=(JobDecoder&&) noexcept;

  // `key` is absent for a record without a key, `value` for a tombstone.
  [[nodiscard]] tl::expected<JobRecord, BadRecord> decode(std::optional<std::string_view> key,
                                                          std::optional<std::string_view> value,
                                                          std::size_t max_id_bytes = kMaxIdBytes);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace penstock
