// The key grammar of a partition's rows. Integers are big-endian (state/rows/encoding.h), so rows
// of one kind are in the order of their numbers.
//
//   key :=                                what the row is, -> its value
//     'm' name                            meta, one row each                      -> see kMeta...
//     'd' run_at:i64 seq                  a job that is not yet due               -> JobRow
//     'l' account line order:i64 turn     a job in its account's line             -> JobRow
//     'u' type seq                        a job whose type is unknown here        -> JobRow
//     'e' kept_until:i64 seq              an ended job that is kept               -> JobRow
//     'i' digest                          an identity -> the key of its job's row, d l u or e
//     'y' expires_at:i64 seq              a live job that expires then, unless it has started
//                                                                  -> account:text id:text
//     'x' bucket:u32 commit:u64           jobs that ended in that bucket of time  -> digest*
//     'k' digest                          the holders of a unique key's lock      -> UniqueRow
//     'z' until:i64 digest                a lock that is held until then          -> nothing
//     'b' account bulk 0x00               a bulk's counters                       -> BulkRow
//     'b' account bulk 0x01               its on_done                             -> a job record
//     'b' account bulk 0x02 page:u32      which of its chunks have come -> consumer/bulk/bulks.h
//     'f' at:i64 account bulk             when to look whether the bulk can be forgotten -> nothing
//     'r' owner name                      a limit's rate -> when the next attempt may start, ns:i64
//     's' name                            the partition's allotment of a shared limit
//                                                        -> consumer/limits/shared_limits.h
//     'c' account type                    a circuit breaker -> consumer/gates/breaker.h
//     'p' replay                          a replay -> consumer/replay/replay_row.h
//     'n' replay commit:u64               ids that a replay has seen in its range -> digest*
//     'a' name                            the slots topic: how a limit is allotted
//                                                        -> consumer/slots/allotment.h
//     'o' destination number:u64          an outbox message that is not yet acknowledged
//     'q' destination                     the number of the last message to it    -> u64
//     'w' source                          which of its messages were accepted
//                                                        -> state/log/source_mark.h
//
//   seq     := i64                   the job's number in the partition (state/rows/job_seq.h)
//   turn    := i64                   its position in the line: its seq, or a later one
//                                    (consumer/job/line_order.h)
//   order   := i64                   0 where the line is in the order of admission, run_at where it
//                                    is "ready", the priority where it is "fair", and before all
//                                    others where the job goes on holding its slots and locks
//   account := length:u8 bytes       1 to 255
//   owner   := account | 0x00        the account of the limit. 0x00: the limit has no {account}
//                                    in its name, so the accounts of the group share it, whatever
//                                    its other placeholders are replaced by
//   replay  := length:u8 bytes       its name, 1 to 64
//   name    := bytes                 of a limit, with its placeholders replaced
//   line    := length:u8 bytes       0 to 255: what keeps its order (schedule/lines/lines.h)
//   type    := length:u8 bytes       1 to 255
//   bulk    := length:u8 bytes       1 to 255
//   digest  := 16 bytes              state/rows/digest.h
//   text    := length:varint bytes
//
// A job has exactly one of the rows d, l, u, e, and one row i that names it.
//
// Rows that belong to an account can be found by it:
//
//   l b c, r with an account    the key begins with the account
//   i k                         the digest begins with the account's hash
//   d u e                       a row i has the key
//   y                           the JobRow has the time and the seq
//   z                           the UniqueRow has the time
//   f                           the account follows the time
//   x                           the account's digests begin with its hash
//
// The others are the partition's: m o q w s a p n, and r without an account.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "state/rows/digest.h"
#include "state/rows/job_seq.h"
#include "topics/values/types.h"

namespace penstock::keys {

inline constexpr char kMeta = 'm', kDue = 'd', kLine = 'l', kUnknownType = 'u', kEnded = 'e',
                      kIdentity = 'i', kExpiry = 'y', kDedup = 'x', kOutbox = 'o', kOutboxSeq = 'q',
                      kWatermark = 'w', kRate = 'r', kShare = 's', kAllotment = 'a', kBulk = 'b',
                      kBulkCheck = 'f', kUnique = 'k', kUniqueUntil = 'z', kBreaker = 'c',
                      kReplay = 'p', kReplayIds = 'n';

// Meta rows. kMetaPosition is local: it is not in the log, and says how much of the log the rows
// contain.
inline constexpr std::string_view kMetaPosition = "m!position";
inline constexpr std::string_view kMetaInputNext = "minput_next";    // i64
inline constexpr std::string_view kMetaInputTopic = "minput_topic";  // u64 u64: its id
inline constexpr std::string_view kMetaBase = "mbase";               // i64, see Owner
inline constexpr std::string_view kMetaGeneration = "mgeneration";   // u32
inline constexpr std::string_view kMetaJobs = "mjobs";               // u64: rows d, l, u
inline constexpr std::string_view kMetaLease = "mlease";  // i64 u32: an epoch, its lease in ms
inline constexpr std::string_view kMetaPartitions = "mpartitions";  // u32: the queue's count
inline constexpr std::string_view kMetaJobSeq = "mjob_seq";  // i64: the last one that was given
// i64: the input below this was removed before it was taken (state/log/arrivals.h).
inline constexpr std::string_view kMetaGap = "mgap";
inline constexpr std::string_view kMetaLogBytes = "mlog_bytes";  // u64, see LogSize
inline constexpr std::string_view kMetaFormat = "mformat";       // u32, see StateFormat

[[nodiscard]] std::string due(Time run_at, JobSeq seq);
[[nodiscard]] std::string line(std::string_view account, std::string_view line, std::int64_t order,
                               JobSeq seq);
[[nodiscard]] std::string line_prefix(std::string_view account);
[[nodiscard]] std::string line_prefix(std::string_view account, std::string_view line);
[[nodiscard]] std::string unknown_type(std::string_view type, JobSeq seq);
[[nodiscard]] std::string unknown_type_prefix(std::string_view type);
[[nodiscard]] std::string ended(Time at, JobSeq seq);
[[nodiscard]] std::string identity(const Digest& digest);
[[nodiscard]] std::string expiry(Time at, JobSeq seq);
[[nodiscard]] std::string rate(std::string_view owner, std::string_view limit);
[[nodiscard]] std::string share(std::string_view limit);
[[nodiscard]] std::string allotment(std::string_view limit);
[[nodiscard]] std::string breaker(std::string_view account, std::string_view type);
[[nodiscard]] std::string replay(std::string_view name);
[[nodiscard]] std::string replay_ids_prefix(std::string_view name);
[[nodiscard]] std::string replay_ids(std::string_view name, std::uint64_t seq);
[[nodiscard]] std::string dedup(std::uint32_t bucket, std::uint64_t seq);
[[nodiscard]] std::string dedup_bucket(std::uint32_t bucket);

[[nodiscard]] std::string unique(const Digest& key);
[[nodiscard]] std::string unique_until(Time at, const Digest& key);
[[nodiscard]] std::string unique_until(Time at);  // where the keys of a time begin

// The beginning of all of a bulk's keys, and the keys of its rows.
[[nodiscard]] std::string bulk_prefix(std::string_view account, std::string_view bulk);
[[nodiscard]] std::string bulk_prefix(std::string_view account);
[[nodiscard]] std::string bulk_head(std::string_view prefix);
[[nodiscard]] std::string bulk_on_done(std::string_view prefix);
[[nodiscard]] std::string bulk_page(std::string_view prefix, std::uint32_t page);
[[nodiscard]] std::string bulk_check(Time at, std::string_view prefix);
[[nodiscard]] std::string bulk_checks_before(Time at);

// The first key after all keys that begin with `prefix`.
[[nodiscard]] std::string after_prefix(std::string_view prefix);

struct LineKey {
  std::string_view account;
  std::string_view line;
  std::int64_t order = 0;
  JobSeq seq;
};
[[nodiscard]] LineKey parse_line(std::string_view key);

struct TimeKey {
  Time at;
  JobSeq seq;
};
[[nodiscard]] TimeKey parse_time(std::string_view key);  // d, e and y
[[nodiscard]] std::uint32_t parse_dedup_bucket(std::string_view key);

// The lock that a row 'z' names.
[[nodiscard]] Digest parse_unique_until(std::string_view key);

struct BulkKey {
  std::string_view account;
  std::string_view bulk;
  std::string_view prefix;  // of the key
};
[[nodiscard]] BulkKey parse_bulk(std::string_view key);
struct RateKey {
  std::string_view owner;  // an account, or empty
  std::string_view limit;
};
[[nodiscard]] RateKey parse_rate(std::string_view key);
struct BreakerKey {
  std::string_view account;
  std::string_view type;
};
[[nodiscard]] BreakerKey parse_breaker(std::string_view key);
// The replay of a row 'p' or 'n'.
[[nodiscard]] std::string_view parse_replay(std::string_view key);
// The prefix of the bulk that a row 'f' names.
[[nodiscard]] std::string parse_bulk_check(std::string_view key);

}  // namespace penstock::keys
