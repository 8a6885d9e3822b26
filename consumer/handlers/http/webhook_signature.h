// Signs requests according to Standard Webhooks (https://www.standardwebhooks.com): a receiver that
// knows the secret can tell that a request is genuine and recent.
//
//   webhook-signature: v1,<base64(HMAC-SHA256(key, id "." timestamp "." body))>
//
// All functions may be called from any thread, and all but load_secrets() are pure. No OpenSSL type
// appears here.
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

// Parses keys, one per line: either the key itself, or the prefix `whsec_` and base64. With several
// keys, requests carry one signature per key, so that a secret can be replaced without
// interruption.
[[nodiscard]] Result<std::vector<std::string>> parse_secrets(std::string_view text);
[[nodiscard]] Result<std::vector<std::string>> load_secrets(const std::string& path);

// The value of webhook-signature: one signature per key, separated by blanks.
[[nodiscard]] std::string webhook_signature(const std::vector<std::string>& keys,
                                            std::string_view id, std::int64_t timestamp,
                                            std::string_view body);

// The value of webhook-id: queue, account and id, percent-encoded, and after the first iteration
// also a digest of the cursor. It is the same for every retry of the same work and different for
// any other work, so a receiver can use it for deduplication.
[[nodiscard]] std::string webhook_id(const AttemptRequest& request);

}  // namespace penstock
