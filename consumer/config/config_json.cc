#include "consumer/config/config_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

// Comments become blanks, so that lines and columns in the parser's messages stay correct.
std::string without_comments(std::string_view text) {
  std::string result(text);
  bool in_string = false;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (in_string && result[i] == '\\') {
      ++i;
    } else if (result[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && result.compare(i, 2, "//") == 0) {
      while (i < result.size() && result[i] != '\n') result[i++] = ' ';
    }
  }
  return result;
}

// For a text without comments. The result for invalid JSON does not matter.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[i] == '{' || text[i] == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (text[i] == '}' || text[i] == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// Follows the parser through the document and records the first repeated member name.
class RepeatedNames {
 public:
  // The parser's callback; always returns true to keep the value.
  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        enter(event == Json::parse_event_t::array_start);
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        levels_.pop_back();
        break;
      case Json::parse_event_t::key:
        see(parsed.get<std::string>());
        break;
      case Json::parse_event_t::value:
        count_element();
        break;
    }
    return true;
  }

  [[nodiscard]] const std::optional<std::string>& first() const { return first_; }

 private:
  struct Level {
    std::string pointer;
    std::set<std::string> names;
    std::string current;  // the member whose value comes next
    bool is_array = false;
    std::size_t next_index = 0;
  };

  void enter(bool is_array) {
    Level level;
    level.is_array = is_array;
    if (!levels_.empty()) level.pointer = member_pointer(levels_.back().pointer, current_token());
    count_element();
    levels_.push_back(std::move(level));
  }

  std::string current_token() const {
    const Level& level = levels_.back();
    return level.is_array ? std::to_string(level.next_index) : level.current;
  }

  void count_element() {
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().next_index;
  }

  void see(std::string name) {
    Level& level = levels_.back();
    if (!level.names.insert(name).second && !first_) first_ = member_pointer(level.pointer, name);
    level.current = std::move(name);
  }

  std::vector<Level> levels_;
  std::optional<std::string> first_;
};

// Reduces "[json.exception.parse_error.101] parse error at line 1, column 2: ..." to what concerns
// the user.
std::string parse_message(std::string_view what) {
  constexpr std::string_view kBefore = "parse error at ";
  const std::size_t at = what.find(kBefore);
  return std::string(at == what.npos ? what : what.substr(at + kBefore.size()));
}

}  // namespace

std::string member_pointer(std::string_view parent, std::string_view name) {
  std::string pointer(parent);
  pointer += '/';
  for (const char c : name) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

Result<Json> parse_config_json(std::string_view text) {
  if (text.size() > kMaxConfigBytes) {
    return failure("found " + std::to_string(text.size()) + " bytes, expected at most " +
                   std::to_string(kMaxConfigBytes));
  }
  const std::string plain = without_comments(text);
  // RepeatedNames has a path for every open level, so a file of brackets alone would take memory
  // that grows with the square of its depth.
  if (depth_of(plain) > kMaxConfigDepth) {
    return failure("found objects or arrays more than " + std::to_string(kMaxConfigDepth) +
                   " deep, expected fewer");
  }
  // The parser would stop there, and accept what comes before.
  if (const std::size_t nul = plain.find('\0'); nul != plain.npos) {
    const auto line =
        1 + std::count(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    return failure("line " + std::to_string(line) + ": found a NUL character, expected JSON text");
  }
  RepeatedNames repeated;
  Json parsed;
  try {
    parsed = Json::parse(plain, [&repeated](int depth, Json::parse_event_t event, Json& value) {
      return repeated(depth, event, value);
    });
  } catch (const Json::exception& error) {
    return failure(parse_message(error.what()));
  }
  if (repeated.first()) {
    return failure(*repeated.first() + ": found this member twice, expected it once");
  }
  return parsed;
}

}  // namespace penstock
