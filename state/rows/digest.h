// The 128 bits that stand for a text in the state. The digest of a text that belongs to an account
// begins with the hash that determines the account's partition, for any number of partitions
// (topics/partitioner.h):
//
//   digest := account:u32 rest:12        an account's: its murmur2 hash, then XXH3 of the text
//           | rest:16                    of any other text (text_digest): XXH3
//
// So the digests of an account are adjacent, and the state of a partition can be divided among any
// number of partitions by the digests alone. Two identities of an account share a digest with
// probability n^2 / 2^97. A table derives a digest's slot from the rest, because the digests of an
// account all begin alike.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // For the digest of an account's text: account_hash().
  [[nodiscard]] constexpr std::uint32_t account() const {
    return static_cast<std::uint32_t>(high >> 32);
  }
  friend constexpr auto operator<=>(const Digest&, const Digest&) = default;
};

// For tables, by the low half: the digests of an account begin alike.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    return static_cast<std::size_t>(digest.low);
  }
};

// The murmur2 hash from which the account's partition follows.
[[nodiscard]] std::uint32_t account_hash(std::string_view account);
// Of a job's identity within its queue.
[[nodiscard]] Digest identity_digest(std::string_view account, std::string_view id);
// Of a text that belongs to the account and contains its name.
[[nodiscard]] Digest account_digest(std::string_view account, std::string_view text);
// Of the text alone. Two texts share a digest with probability n^2 / 2^129.
[[nodiscard]] Digest text_digest(std::string_view text);
// A hash of the bytes; chains the records of the state log.
[[nodiscard]] std::uint64_t bytes_hash(std::string_view bytes);

// The text or, if it is longer than `most` bytes, its first ones, cut between characters, then
// `mark` and the hexadecimal digest of all of it: texts that differ stay different. `most` is more
// than the mark and the digest take.
[[nodiscard]] std::string shortened(std::string text, std::size_t most, char mark);

void put_digest(std::string& out, const Digest& digest);

inline constexpr std::size_t kDigestBytes = 16;

}  // namespace penstock
