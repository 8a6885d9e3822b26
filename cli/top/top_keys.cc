#include "cli/top/top_keys.h"

#include <map>
#include <optional>
#include <string_view>

namespace penstock {
namespace {

constexpr char kEscape = '\x1b', kControlC = '\x03', kControlD = '\x04';

std::optional<TopKey> key_of(char byte) {
  switch (byte) {
    case 'q':
    case 'Q':
    case kControlC:
    case kControlD:
      return TopKey::kQuit;
    case '\t':
    case 'l':
      return TopKey::kNext;
    case 'h':
      return TopKey::kPrevious;
    case 'k':
      return TopKey::kUp;
    case 'j':
      return TopKey::kDown;
    case ' ':
      return TopKey::kPageDown;
    case 'b':
      return TopKey::kPageUp;
    case 'g':
      return TopKey::kHome;
    case 'G':
      return TopKey::kEnd;
    case '1':
      return TopKey::kPage1;
    case '2':
      return TopKey::kPage2;
    case '3':
      return TopKey::kPage3;
    case '4':
      return TopKey::kPage4;
    default:
      return std::nullopt;
  }
}

// After ESC [ or ESC O.
std::optional<TopKey> key_of_sequence(std::string_view sequence) {
  static const std::map<std::string_view, TopKey> kKeys{
      {"A", TopKey::kUp},       {"B", TopKey::kDown},     {"C", TopKey::kNext},
      {"D", TopKey::kPrevious}, {"Z", TopKey::kPrevious}, {"H", TopKey::kHome},
      {"F", TopKey::kEnd},      {"1~", TopKey::kHome},    {"4~", TopKey::kEnd},
      {"5~", TopKey::kPageUp},  {"6~", TopKey::kPageDown}};
  const auto found = kKeys.find(sequence);
  return found == kKeys.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<TopKey> take_keys(std::string& bytes) {
  std::vector<TopKey> keys;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::optional<TopKey> key;
    std::size_t next = at + 1;
    const bool sequence = bytes[at] == kEscape;
    if (!sequence) {
      key = key_of(bytes[at]);
    } else if (next == bytes.size()) {
      break;  // more of it may come
    } else if (bytes[next] == '[' || bytes[next] == 'O') {
      // It ends with a byte from @ to ~.
      std::size_t end = next + 1;
      while (end < bytes.size() && (bytes[end] < '@' || bytes[end] > '~')) ++end;
      if (end == bytes.size()) break;
      key = key_of_sequence(std::string_view(bytes).substr(next + 1, end - next));
      next = end + 1;
    }
    if (key) keys.push_back(*key);
    at = next;
  }
  bytes.erase(0, at);
  return keys;
}

}  // namespace penstock
