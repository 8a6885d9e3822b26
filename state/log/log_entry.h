// The records of a partition's state log, penstock.<queue>.state. Pure.
//
//   entry   := version:u8 = 1, kind:u8, body
//   claim   := kind 1, nonce:u64, generation:u32, previous:i64, instance:text, lease?:u32
//   commit  := kind 2, epoch:i64, seq:u64, chain:u64, rows
//   release := kind 3, epoch:i64, seq:u64, chain:u64
//   rows    := the bytes of a RocksDB WriteBatch on the default column family
//   text    := length:varint bytes
//   request := a claim whose `previous` is -2 - epoch
//
// The offset of a claim is its owner's epoch; `previous` is the epoch that it replaces, -1 for
// none. `chain` is the hash (XXH3, 64 bits) of the preceding commit or release, 0 for the first;
// seq and chain continue across epochs. `nonce` distinguishes two claims of one instance. `lease` is
// the owner's, in milliseconds; it is left out if it is 15 s, so that versions that know no other
// read the record. A request asks the owner of that epoch to hand over. No reader counts it, those of
// versions that know no requests included: to them it is a claim that replaces no epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "state/log/lease.h"
#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

inline constexpr std::uint8_t kLogFormat = 1;
// The largest state record that is ever appended; the state topic's max.message.bytes allows it.
inline constexpr std::size_t kMaxCommitBytes = 7 << 20;
// The largest batch that fits into such a record.
inline constexpr std::size_t kMaxCommitRows = kMaxCommitBytes - 64;

struct Claim {
  std::uint64_t nonce = 0;
  std::uint32_t generation = 0;
  Offset previous{-1};
  std::string_view instance;
  std::chrono::milliseconds lease = kUsualLease;
};

struct Commit {
  Offset epoch;
  std::uint64_t seq = 0;
  std::uint64_t chain = 0;
  std::string_view rows;
};

struct Release {
  Offset epoch;
  std::uint64_t seq = 0;
  std::uint64_t chain = 0;
};

struct HandOverRequest {
  std::uint64_t nonce = 0;
  Offset epoch;
  std::string_view instance;  // who asks
};

using LogEntry = std::variant<Claim, Commit, Release, HandOverRequest>;

[[nodiscard]] std::string encode(const LogEntry& entry);
// The entry contains views into `bytes`. Another version than kLogFormat is an error that names it.
[[nodiscard]] Result<LogEntry> decode_log_entry(std::string_view bytes);

}  // namespace penstock
