// The identity of a job within its partition's queue, as 128 bits: XXH3 over account and id. Two
// identities of one queue share a digest with probability n^2 / 2^129.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend constexpr auto operator<=>(const Digest&, const Digest&) = default;
};

[[nodiscard]] Digest identity_digest(std::string_view account, std::string_view id);
// Of a text as it is, where two may share a digest with the same probability.
[[nodiscard]] Digest text_digest(std::string_view text);
// Of bytes as they are; chains the state log's records.
[[nodiscard]] std::uint64_t bytes_hash(std::string_view bytes);

void put_digest(std::string& out, const Digest& digest);

inline constexpr std::size_t kDigestBytes = 16;

}  // namespace penstock
