// Signing as Standard Webhooks says (https://www.standardwebhooks.com): a receiver that knows the
// secret can tell that a request is ours and fresh.
//
//   webhook-signature: v1,<base64(HMAC-SHA256(key, id "." timestamp "." body))>
//
// Pure functions but for the file that load_secrets reads; safe from any thread. OpenSSL stays
// inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "topics/values/result.h"

namespace penstock {

inline constexpr std::size_t kMaxSecrets = 8;

// Keys, one a line: as they are, or with the prefix `whsec_` and then base64. With several,
// requests carry a signature for each, so that a secret can be exchanged without a gap.
[[nodiscard]] Result<std::vector<std::string>> parse_secrets(std::string_view text);
[[nodiscard]] Result<std::vector<std::string>> load_secrets(const std::string& path);

// The value of webhook-signature: one signature a key, a blank between.
[[nodiscard]] std::string webhook_signature(const std::vector<std::string>& keys,
                                            std::string_view id, std::int64_t timestamp,
                                            std::string_view body);

// The value of webhook-id: queue, account and id, percent-encoded, and after the first iteration a
// digest of its cursor. The same for each retry of the same work, another for any other work, so
// that a receiver may deduplicate by it.
[[nodiscard]] std::string webhook_id(const AttemptRequest& request);

}  // namespace penstock
