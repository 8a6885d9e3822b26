#include "state/rows/digest.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "state/rows/encoding.h"
#include "topics/partitioner.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

Digest of_account(std::string_view account, const XXH128_hash_t& hash) {
  const std::uint64_t prefix = account_hash(account);
  return {prefix << 32 | (hash.high64 & 0xffffffff), hash.low64};
}

}  // namespace

std::uint32_t account_hash(std::string_view account) {
  return static_cast<std::uint32_t>(murmur2(account));
}

Digest identity_digest(std::string_view account, std::string_view id) {
  // The account's length goes first, so that ("ab", "c") and ("a", "bc") differ.
  char joined[1 + 255 + 255];
  if (account.size() > 255 || id.size() > 255) {  // only bytes that no admitted job has
    std::string bytes;
    put_text(bytes, account);
    bytes.append(id);
    return of_account(account, XXH3_128bits(bytes.data(), bytes.size()));
  }
  joined[0] = static_cast<char>(account.size());
  std::memcpy(joined + 1, account.data(), account.size());
  std::memcpy(joined + 1 + account.size(), id.data(), id.size());
  return of_account(account, XXH3_128bits(joined, 1 + account.size() + id.size()));
}

Digest account_digest(std::string_view account, std::string_view text) {
  return of_account(account, XXH3_128bits(text.data(), text.size()));
}

Digest text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

std::uint64_t bytes_hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string shortened(std::string text, std::size_t most, char mark) {
  if (text.size() <= most) return text;
  constexpr std::size_t kDigits = 2 * kDigestBytes;
  PENSTOCK_CHECK(most > kDigits + 1, "a shortened text has room for its digest");
  const Digest whole = text_digest(text);
  std::size_t end = most - kDigits - 1;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  while (end > 0 && continues(text[end])) --end;
  text.resize(end);
  text += mark;
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016" PRIx64 "%016" PRIx64, whole.high, whole.low);
  return text += digits;
}

void put_digest(std::string& out, const Digest& digest) {
  put_u64(out, digest.high);
  put_u64(out, digest.low);
}

}  // namespace penstock
