#include "state/rows/keys.h"

#include "state/rows/encoding.h"
#include "topics/values/check.h"

namespace penstock::keys {
namespace {

std::string with_time(char kind, Time at, JobSeq seq) {
  std::string key(1, kind);
  put_i64(key, to_ms(at));
  // Of fixed width, unlike put_seq(): keys must sort by it.
  put_i64(key, seq.value);
  return key;
}

void put_short_text(std::string& key, std::string_view text) {
  PENSTOCK_CHECK(!text.empty() && text.size() <= 255, "names in keys have 1 to 255 bytes");
  // The length goes first, so that no account's prefix is the beginning of another account's.
  put_u8(key, static_cast<std::uint8_t>(text.size()));
  key.append(text);
}

}  // namespace

std::string due(Time run_at, JobSeq seq) { return with_time(kDue, run_at, seq); }
std::string ended(Time at, JobSeq seq) { return with_time(kEnded, at, seq); }
std::string expiry(Time at, JobSeq seq) { return with_time(kExpiry, at, seq); }

std::string line_prefix(std::string_view account) {
  std::string key(1, kLine);
  put_short_text(key, account);
  return key;
}

std::string line_prefix(std::string_view account, std::string_view line) {
  PENSTOCK_CHECK(line.size() <= 255, "names in keys have at most 255 bytes");
  std::string key = line_prefix(account);
  put_u8(key, static_cast<std::uint8_t>(line.size()));
  key.append(line);
  return key;
}

std::string line(std::string_view account, std::string_view line, std::int64_t order, JobSeq seq) {
  std::string key = line_prefix(account, line);
  put_i64(key, order);
  put_i64(key, seq.value);
  return key;
}

std::string unknown_type_prefix(std::string_view type) {
  std::string key(1, kUnknownType);
  put_short_text(key, type);
  return key;
}

std::string unknown_type(std::string_view type, JobSeq seq) {
  std::string key = unknown_type_prefix(type);
  put_i64(key, seq.value);
  return key;
}

std::string identity(const Digest& digest) {
  std::string key(1, kIdentity);
  put_digest(key, digest);
  return key;
}

std::string unique(const Digest& key) {
  std::string row(1, kUnique);
  put_digest(row, key);
  return row;
}

std::string unique_until(Time at) {
  std::string row(1, kUniqueUntil);
  put_i64(row, to_ms(at));
  return row;
}

std::string unique_until(Time at, const Digest& key) {
  std::string row = unique_until(at);
  put_digest(row, key);
  return row;
}

std::string rate(std::string_view owner, std::string_view limit) {
  PENSTOCK_CHECK(owner.size() <= 255, "names in keys have at most 255 bytes");
  std::string key(1, kRate);
  put_u8(key, static_cast<std::uint8_t>(owner.size()));
  return key.append(owner).append(limit);
}

std::string share(std::string_view limit) { return std::string(1, kShare).append(limit); }
std::string allotment(std::string_view limit) { return std::string(1, kAllotment).append(limit); }

std::string breaker(std::string_view account, std::string_view type) {
  std::string key(1, kBreaker);
  put_short_text(key, account);
  put_short_text(key, type);
  return key;
}

std::string replay(std::string_view name) {
  std::string key(1, kReplay);
  put_short_text(key, name);
  return key;
}

std::string replay_ids_prefix(std::string_view name) {
  std::string key(1, kReplayIds);
  put_short_text(key, name);
  return key;
}

std::string replay_ids(std::string_view name, std::uint64_t seq) {
  std::string key = replay_ids_prefix(name);
  put_u64(key, seq);
  return key;
}

std::string dedup_bucket(std::uint32_t bucket) {
  std::string key(1, kDedup);
  put_u32(key, bucket);
  return key;
}

std::string dedup(std::uint32_t bucket, std::uint64_t seq) {
  std::string key = dedup_bucket(bucket);
  put_u64(key, seq);
  return key;
}

std::string bulk_prefix(std::string_view account) {
  std::string key(1, kBulk);
  put_short_text(key, account);
  return key;
}

std::string bulk_prefix(std::string_view account, std::string_view bulk) {
  std::string key = bulk_prefix(account);
  put_short_text(key, bulk);
  return key;
}

// The counters sort before the pages, so a scan of bulks finds them first and can skip the rest.
std::string bulk_head(std::string_view prefix) { return std::string(prefix) + '\0'; }
std::string bulk_on_done(std::string_view prefix) { return std::string(prefix) + '\1'; }

std::string bulk_page(std::string_view prefix, std::uint32_t page) {
  std::string key = std::string(prefix) + '\2';
  put_u32(key, page);
  return key;
}

std::string bulk_checks_before(Time at) {
  std::string key(1, kBulkCheck);
  put_i64(key, to_ms(at));
  return key;
}

std::string bulk_check(Time at, std::string_view prefix) {
  return bulk_checks_before(at).append(prefix.substr(1));
}

std::string after_prefix(std::string_view prefix) {
  std::string key(prefix);
  // A last byte of 0xff cannot be increased, so the one before it is.
  while (!key.empty() && static_cast<unsigned char>(key.back()) == 0xff) key.pop_back();
  PENSTOCK_CHECK(!key.empty(), "a key's first byte is a letter");
  key.back() = static_cast<char>(static_cast<unsigned char>(key.back()) + 1);
  return key;
}

LineKey parse_line(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  LineKey parsed;
  parsed.account = cursor.bytes(cursor.u8());
  parsed.line = cursor.bytes(cursor.u8());
  parsed.order = cursor.i64();
  parsed.seq = JobSeq{cursor.i64()};
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a line key follows its grammar");
  return parsed;
}

TimeKey parse_time(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  TimeKey parsed;
  parsed.at = time_from_ms(cursor.i64());
  parsed.seq = JobSeq{cursor.i64()};
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a time key follows its grammar");
  return parsed;
}

Digest parse_unique_until(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  cursor.i64();
  Digest digest;
  digest.high = cursor.u64();
  digest.low = cursor.u64();
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a lock's time follows its grammar");
  return digest;
}

BulkKey parse_bulk(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  BulkKey parsed;
  parsed.account = cursor.bytes(cursor.u8());
  parsed.bulk = cursor.bytes(cursor.u8());
  PENSTOCK_CHECK(!cursor.failed(), "a bulk's key follows its grammar");
  // The kind and the two lengths have a byte each.
  parsed.prefix = key.substr(0, 3 + parsed.account.size() + parsed.bulk.size());
  return parsed;
}

RateKey parse_rate(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  RateKey parsed;
  parsed.owner = cursor.bytes(cursor.u8());
  parsed.limit = cursor.rest();
  PENSTOCK_CHECK(!cursor.failed(), "a rate's key follows its grammar");
  return parsed;
}

BreakerKey parse_breaker(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  BreakerKey parsed;
  parsed.account = cursor.bytes(cursor.u8());
  parsed.type = cursor.bytes(cursor.u8());
  PENSTOCK_CHECK(!cursor.failed() && cursor.at_end(), "a breaker's key follows its grammar");
  return parsed;
}

std::string_view parse_replay(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  const std::string_view name = cursor.bytes(cursor.u8());
  PENSTOCK_CHECK(!cursor.failed(), "a replay's key follows its grammar");
  return name;
}

std::string parse_bulk_check(std::string_view key) {
  return std::string(1, kBulk).append(key.substr(1 + sizeof(std::int64_t)));
}

std::uint32_t parse_dedup_bucket(std::string_view key) {
  Cursor cursor(key);
  cursor.u8();
  return cursor.u32();
}

}  // namespace penstock::keys
