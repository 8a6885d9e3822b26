// A record as it goes to the dead topic: key, value and headers byte for byte, and the headers of
// its letter (topics/record/dead_letter.h). A record that neither a commit nor the dead topic could
// hold is cut to its head, and says how long it was:
//
//   penstock-cut          := bytes of the value as it came; present on every record that is cut
//   penstock-cut-key      := bytes of the key as it came, where the key is cut
//   penstock-cut-headers  := number of headers as they came, where some are left out
//
// Such records do arrive: Kafka's limits count compressed batches. Values; pure.
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

// Key, value and headers as they came: beyond this the record is cut. The dead topic takes so much
// and the letter's headers.
inline constexpr std::size_t kMaxDeadRecordBytes = 2 << 20;
// What is kept of one that is cut: the head of each, and the first of the headers.
inline constexpr std::size_t kCutValueBytes = 1 << 20;
inline constexpr std::size_t kCutKeyBytes = 64 << 10;
inline constexpr std::size_t kCutHeadersBytes = 256 << 10;
// A value is not cut further than this when a dead topic refuses it.
inline constexpr std::size_t kMinCutValueBytes = 1 << 10;

struct DeadRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<Header> headers;
};

// `record` with its letter, cut where it is too large.
[[nodiscard]] DeadRecord dead_record(const LogRecord& record, const DeadLetter& letter);

// For a dead record that the dead topic has refused as too large (an operator has lowered its
// max.message.bytes): half of the value, and in the end the letter's headers alone. False: there
// is nothing left to cut, or this is no dead record.
[[nodiscard]] bool cut_further(std::optional<std::string>& value, std::vector<Header>& headers);

}  // namespace penstock
