// A record as it is sent to the dead topic: key, value and headers byte for byte, plus the headers
// of its letter (topics/record/dead_letter.h). A record that is too large for a commit or for the
// dead topic is cut to its head, and headers give its original size:
//
//   penstock-cut          := bytes of the original value; present on every record that is cut
//   penstock-cut-key      := bytes of the original key, if the key is cut
//   penstock-cut-headers  := number of original headers, if some are dropped
//
// Such records do arrive, because Kafka's limits apply to compressed batches. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/record/dead_letter.h"

namespace penstock {

inline constexpr std::string_view kCutHeader = "penstock-cut";
inline constexpr std::string_view kCutKeyHeader = "penstock-cut-key";
inline constexpr std::string_view kCutHeadersHeader = "penstock-cut-headers";

// Original key, value and headers: a larger record is cut. The dead topic accepts this much plus
// the letter's headers.
inline constexpr std::size_t kMaxDeadRecordBytes = 2 << 20;
// What a record that is cut keeps: the head of its value and key, and the first of its headers.
inline constexpr std::size_t kCutValueBytes = 1 << 20;
inline constexpr std::size_t kCutKeyBytes = 64 << 10;
inline constexpr std::size_t kCutHeadersBytes = 256 << 10;
// When a dead topic refuses the record, its value is not cut below this.
inline constexpr std::size_t kMinCutValueBytes = 1 << 10;

struct DeadRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<Header> headers;
};

// `record` with its letter, cut if it is too large.
[[nodiscard]] DeadRecord dead_record(const LogRecord& record, const DeadLetter& letter);

// For a dead record that the dead topic has refused as too large (an operator has lowered its
// max.message.bytes): halves the value, and in the end leaves only the letter's headers. Returns
// false if nothing is left to cut, or if this is not a dead record.
[[nodiscard]] bool cut_further(std::optional<std::string>& value, std::vector<Header>& headers);

}  // namespace penstock
