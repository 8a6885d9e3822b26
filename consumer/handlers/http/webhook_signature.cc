#include "consumer/handlers/http/webhook_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "consumer/handlers/protocol/attempt_key_hash.h"
#include "topics/values/check.h"
#include "topics/values/trimmed.h"

namespace penstock {
namespace {

constexpr std::string_view kPrefix = "whsec_";
constexpr std::size_t kMaxSecretFileBytes = 64 << 10;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Result<std::string> from_base64(std::string text) {
  // Issuers often leave the padding out, but OpenSSL requires it.
  while (text.size() % 4 != 0) text += '=';
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                                     static_cast<int>(text.size()));
  const std::size_t padding = text.size() - text.find_last_not_of('=') - 1;
  if (length <= 0 || padding > 2) {
    return failure(
        "the secret after whsec_ is not valid base64; copy all of it from where it was issued");
  }
  // EVP_DecodeBlock() counts the padding as zero bytes.
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

Result<std::string> parse_secret(std::string_view line) {
  if (!line.starts_with(kPrefix)) return std::string(line);
  line.remove_prefix(kPrefix.size());
  if (line.empty()) return failure("the secret is empty after whsec_");
  return from_base64(std::string(line));
}

bool stays_in_header(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("-._~:@+=,").find(c) != std::string_view::npos;
}

void append_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (stays_in_header(c)) {
      out += c;
      continue;
    }
    char code[4];
    std::snprintf(code, sizeof code, "%%%02X",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    out += code;
  }
}

std::string digest(std::string_view text) {
  std::uint64_t sum = text.size();
  for (const char c : text) sum = mix_bits(sum ^ static_cast<unsigned char>(c));
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(sum));
  return hex;
}

}  // namespace

Result<std::vector<std::string>> parse_secrets(std::string_view text) {
  std::vector<std::string> keys;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.empty()) continue;
    auto key = parse_secret(line);
    if (!key) return tl::unexpected(key.error());
    keys.push_back(*std::move(key));
  }
  if (keys.empty()) return failure("the file holds no secret, expected one per line");
  if (keys.size() > kMaxSecrets) {
    return failure("the file holds " + std::to_string(keys.size()) + " secrets, expected at most " +
                   std::to_string(kMaxSecrets));
  }
  return keys;
}

Result<std::vector<std::string>> load_secrets(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure("cannot read the secret file " + path + ": " + std::strerror(errno));
  std::string text(kMaxSecretFileBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_secrets(text).map_error(
      [&](const Error& error) { return Error{"secret file " + path + ": " + error.message}; });
}

std::string webhook_signature(const std::vector<std::string>& keys, std::string_view id,
                              std::int64_t timestamp, std::string_view body) {
  std::string content(id);
  content += '.' + std::to_string(timestamp) + '.';
  content += body;
  std::string value;
  for (const std::string& key : keys) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
    unsigned int length = 0;
    PENSTOCK_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(content),
                        content.size(), mac.data(), &length) != nullptr,
                   "HMAC-SHA256 is always there");
    // One signature per secret, so that secrets can be exchanged without an outage.
    if (!value.empty()) value += ' ';
    value += "v1," + base64({reinterpret_cast<const char*>(mac.data()), length});
  }
  return value;
}

std::string webhook_id(const AttemptRequest& request) {
  std::string id;
  append_encoded(id, request.queue);
  id += '/';
  append_encoded(id, request.account);
  id += '/';
  append_encoded(id, request.id);
  if (!request.items.empty()) {
    std::string ids;
    for (const AttemptItem& item : request.items) ids += item.id + '\0';
    id += '/' + digest(ids);
  }
  if (!request.cursor.empty()) id += '/' + digest(request.cursor);
  return id;
}

}  // namespace penstock
