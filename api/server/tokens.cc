#include "api/server/tokens.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "topics/json/json_document.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::string_view kHashPrefix = "sha256:";

tl::unexpected<Error> at(const std::string& pointer, const std::string& text) {
  return failure(pointer + ": " + text);
}

std::optional<TokenHash> parse_hash(std::string_view text) {
  if (text.starts_with(kHashPrefix)) text.remove_prefix(kHashPrefix.size());
  TokenHash hash{};
  if (text.size() != 2 * hash.size()) return std::nullopt;
  for (std::size_t i = 0; i < hash.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, hash[i], 16);
    if (error != std::errc{} || end != digits + 2) return std::nullopt;
  }
  return hash;
}

Status read_scopes(const nlohmann::json& scopes, const std::string& pointer, AccessToken& token) {
  if (!scopes.is_array() || scopes.empty())
    return at(pointer, "expected an array of \"read\", \"produce\" and \"operate\"");
  for (const auto& scope : scopes) {
    if (scope == "read") {
      token.reads = true;
    } else if (scope == "produce") {
      token.produces = true;
    } else if (scope == "operate") {
      token.operates = true;
    } else {
      return at(pointer, "found the scope " + scope.dump() +
                             ", expected \"read\", \"produce\" or \"operate\"");
    }
  }
  return {};
}

Status read_member(const std::string& name, const nlohmann::json& value, const std::string& pointer,
                   AccessToken& token) {
  if (name == "name" && value.is_string() && !value.get<std::string>().empty()) {
    token.name = value.get<std::string>();
    return {};
  }
  if (name == "name") return at(pointer, "expected a text that is not empty");
  if (name == "hash") {
    const auto hash = value.is_string() ? parse_hash(value.get<std::string>()) : std::nullopt;
    if (!hash)
      return at(pointer,
                "expected \"sha256:\" and 64 hexadecimal digits, as `sha256sum` prints them");
    token.hash = *hash;
    return {};
  }
  if (name == "scopes") return read_scopes(value, pointer, token);
  if (name != "queues") return at(pointer, "unknown; expected name, hash, scopes or queues");
  if (value.is_null()) return {};
  if (!value.is_array()) return at(pointer, "expected an array of the names of queues");
  for (const auto& queue : value) {
    if (!queue.is_string()) return at(pointer, "expected an array of the names of queues");
    token.queues.push_back(queue.get<std::string>());
  }
  // An empty list must not mean all queues.
  if (token.queues.empty())
    return at(pointer, "found an empty array, expected a queue; leave it out to mean all queues");
  return {};
}

Result<AccessToken> read_token(const nlohmann::json& json, const std::string& pointer) {
  if (!json.is_object()) return at(pointer, "expected an object");
  AccessToken token;
  for (const auto& [name, value] : json.items()) {
    if (const Status read = read_member(name, value, pointer + "/" + name, token); !read)
      return tl::unexpected(read.error());
  }
  for (const char* const name : {"name", "hash", "scopes"}) {
    if (!json.contains(name)) return at(pointer, std::string("\"") + name + "\" is missing");
  }
  return token;
}

}  // namespace

TokenHash hash_of_token(std::string_view token) {
  TokenHash hash{};
  unsigned int size = 0;
  const int done =
      ::EVP_Digest(token.data(), token.size(), hash.data(), &size, ::EVP_sha256(), nullptr);
  PENSTOCK_CHECK(done == 1 && size == hash.size(), "OpenSSL computes SHA-256");
  return hash;
}

bool AccessToken::allows(Scope scope) const {
  switch (scope) {
    case Scope::kOpen:
      return true;
    case Scope::kMetrics:
    case Scope::kRead:
      return reads;
    case Scope::kProduce:
      return produces;
    case Scope::kOperate:
      return operates;
  }
  return false;
}

bool AccessToken::allows_queue(std::string_view queue) const {
  return queues.empty() || std::find(queues.begin(), queues.end(), queue) != queues.end();
}

Result<AccessTokens> AccessTokens::parse(std::string_view text) {
  if (text.size() > kMaxFileBytes) return failure("the file is larger than 1 MiB");
  // As strictly as a job record: a repeated member would silently replace the first.
  JsonDocument document;
  if (const auto fault = document.parse(text))
    return failure(fault->pointer + ": " + fault->detail);
  const auto json = nlohmann::json::parse(text);
  const bool wrapped = json.is_object() && json.size() == 1 && json.contains("tokens");
  const auto& list = wrapped ? json["tokens"] : json;
  if (!list.is_array())
    return failure("expected an array of tokens, or an object with the one member \"tokens\"");
  AccessTokens tokens;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string pointer = (wrapped ? "/tokens/" : "/") + std::to_string(i);
    auto token = read_token(list[i], pointer);
    if (!token) return tl::unexpected(token.error());
    if (const Status added = tokens.add(*std::move(token)); !added)
      return at(pointer, added.error().message);
  }
  return tokens;
}

Status AccessTokens::add(AccessToken token) {
  if (tokens_.size() >= kMaxTokens)
    return failure("found more than " + std::to_string(kMaxTokens) + " tokens");
  for (const AccessToken& other : tokens_) {
    if (other.name == token.name) return failure("another token is named \"" + token.name + "\"");
    if (other.hash == token.hash)
      return failure("\"" + other.name + "\" and \"" + token.name + "\" are the same token");
  }
  tokens_.push_back(std::move(token));
  return {};
}

const AccessToken* AccessTokens::find(std::string_view text) const {
  const TokenHash hash = hash_of_token(text);
  const AccessToken* found = nullptr;
  for (const AccessToken& token : tokens_) {
    // No early end, so that the time says nothing about where the token is.
    if (::CRYPTO_memcmp(token.hash.data(), hash.data(), hash.size()) == 0) found = &token;
  }
  return found;
}

}  // namespace penstock
