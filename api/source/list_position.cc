#include "api/source/list_position.h"

#include <charconv>

#include "consumer/task/task.h"

namespace penstock {
namespace {

constexpr std::string_view kVersion = "1-";
constexpr std::size_t kMaxPositionBytes = 2048;

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::optional<std::string> bytes_of(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(&hex[i], &hex[i] + 2, value, 16);
    if (error != std::errc{} || end != &hex[i] + 2) return std::nullopt;
    bytes += static_cast<char>(value);
  }
  return bytes;
}

}  // namespace

std::string ListPosition::text() const {
  return std::string(kVersion) + std::to_string(partition) + "-" + hex_of(key);
}

std::optional<ListPosition> ListPosition::parse(std::string_view text, IsKey is_key) {
  if (text.size() > kMaxPositionBytes || !text.starts_with(kVersion)) return std::nullopt;
  text.remove_prefix(kVersion.size());
  ListPosition position;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), position.partition);
  if (error != std::errc{} || end == text.data() + text.size() || *end != '-') return std::nullopt;
  auto key = bytes_of(text.substr(static_cast<std::size_t>(end - text.data()) + 1));
  // The text comes from a client; a key of another kind would make the walk begin among other rows.
  if (!key || position.partition < 0 || (!key->empty() && !is_key(*key))) return std::nullopt;
  position.key = *std::move(key);
  return position;
}

}  // namespace penstock
