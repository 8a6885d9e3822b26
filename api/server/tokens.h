// Who may use the HTTP interface: named tokens, of which the process knows only the hashes.
//
//   file    := [ token, ... ] | {"tokens": [ token, ... ]}
//   token   := {"name": text, "hash": hash, "scopes": [scope, ...], "queues": [text, ...]?}
//   hash    := "sha256:" and 64 hexadecimal digits, of the token's text; the prefix may be absent
//   scope   := "read" | "produce" | "operate"
//
// A token with "queues" may use only what concerns one of them. A token is a random text of many
// bits, so a plain hash is enough: it cannot be guessed from its hash.
//
// Values; thread-safe where they are constant.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/route/route_table.h"
#include "topics/values/result.h"

namespace penstock {

using TokenHash = std::array<unsigned char, 32>;
[[nodiscard]] TokenHash hash_of_token(std::string_view token);  // SHA-256

struct AccessToken {
  std::string name;
  TokenHash hash{};
  bool reads = false, produces = false, operates = false;
  std::vector<std::string> queues = {};  // empty: all

  [[nodiscard]] bool allows(Scope scope) const;
  // `queue`: of the request's path; empty: it names none.
  [[nodiscard]] bool allows_queue(std::string_view queue) const;
};

class AccessTokens {
 public:
  static constexpr std::size_t kMaxTokens = 1'000;
  static constexpr std::size_t kMaxFileBytes = 1 << 20;

  // The text of a file of tokens. The error names the place in it as a JSON pointer.
  [[nodiscard]] static Result<AccessTokens> parse(std::string_view text);

  [[nodiscard]] Status add(AccessToken token);
  // Takes the same time wherever the token is, and whether there is one.
  [[nodiscard]] const AccessToken* find(std::string_view token) const;
  [[nodiscard]] bool empty() const { return tokens_.empty(); }

 private:
  std::vector<AccessToken> tokens_;
};

}  // namespace penstock
