#include "state/rows/digest.h"

#include <xxhash.h>

#include <cstring>

#include "state/rows/encoding.h"

namespace penstock {

Digest identity_digest(std::string_view account, std::string_view id) {
  // The account's length goes first, so that ("ab", "c") and ("a", "bc") differ.
  char joined[1 + 255 + 255];
  if (account.size() > 255 || id.size() > 255) {  // only bytes that no admitted job has
    std::string bytes;
    put_text(bytes, account);
    bytes.append(id);
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
  }
  joined[0] = static_cast<char>(account.size());
  std::memcpy(joined + 1, account.data(), account.size());
  std::memcpy(joined + 1 + account.size(), id.data(), id.size());
  const XXH128_hash_t hash = XXH3_128bits(joined, 1 + account.size() + id.size());
  return {hash.high64, hash.low64};
}

Digest text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

std::uint64_t bytes_hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void put_digest(std::string& out, const Digest& digest) {
  put_u64(out, digest.high);
  put_u64(out, digest.low);
}

}  // namespace penstock
