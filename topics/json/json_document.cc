#include "topics/json/json_document.h"

#include <algorithm>
#include <span>
#include <string>

#include "topics/json/json_scalar.h"
#include "topics/values/check.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

// Every name is unescaped once by the check and once by each_member, and every other string at most
// once more. The value of an escape is never longer than the escape itself.
constexpr std::size_t kUnescapedPerByte = 3;
constexpr std::size_t kNamesComparedPairwise = 8;

const std::string_view* repeated_of_few(std::span<const std::string_view> names) {
  for (std::size_t later = 1; later < names.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (names[earlier] == names[later]) return &names[later];
    }
  }
  return nullptr;
}

const std::string_view* repeated_of_many(std::span<std::string_view> names) {
  // In place: the order of the names no longer matters, because they are dropped after this check.
  std::sort(names.begin(), names.end());
  const auto repeated = std::adjacent_find(names.begin(), names.end());
  return repeated == names.end() ? nullptr : &*repeated;
}

}  // namespace

std::optional<JsonFault> JsonDocument::parse(std::string_view text, int max_depth) {
  max_depth_ = max_depth;
  // A text with a fault leaves the names of the objects that were open.
  names_.clear();
  unescaped_end_ = 0;
  if (const auto fault = scanner_.scan(text)) {
    return JsonFault{"", std::string(fault->detail) + " at byte " + std::to_string(fault->byte)};
  }
  text_ = scanner_.text();
  places_ = scanner_.places();
  // Most texts have no escape; for those, no string is searched for one again.
  has_escapes_ = text.find('\\') != std::string_view::npos;
  if (has_escapes_ && unescaped_.size() < kUnescapedPerByte * text.size()) {
    // Before the first view into it, because it must not move afterwards.
    unescaped_.resize(kUnescapedPerByte * text.size());
  }
  JsonToken at = root();
  // The checks may read the token after the last one: the scanner has put the end of the text
  // there, followed by spaces, which begin no value.
  if (check_value(at, 0)) {
    if (at == scanner_.count()) return std::nullopt;
    (void)fail(at, "more text after the value's end");
  }
  return std::move(fault_);
}

std::string_view JsonDocument::keep(std::string_view escaped) {
  PENSTOCK_CHECK(unescaped_.size() - unescaped_end_ >= escaped.size(),
                 "a string unescaped too often");
  char* begin = unescaped_.data() + unescaped_end_;
  const Unescaped written = unescape(escaped, begin);
  const auto length = static_cast<std::size_t>(written.end - begin);
  unescaped_end_ += length;
  return {begin, length};
}

JsonToken JsonDocument::after_bracket(JsonToken value) const {
  int open = 0;
  do {
    const char c = kind(value++);
    // A string is a single token, so brackets inside one are not met here.
    if (c == '{' || c == '[') ++open;
    if (c == '}' || c == ']') --open;
  } while (open > 0);
  return value;
}

bool JsonDocument::check_value(JsonToken& at, int depth) {
  const char* begin = text_ + places_[at];
  switch (*begin) {
    case '{':
      return check_object(at, depth + 1);
    case '[':
      return check_array(at, depth + 1);
    case '"':
      return check_string(at);
    case 't':
      return check_scalar(at, check_word(begin, "true"));
    case 'f':
      return check_scalar(at, check_word(begin, "false"));
    case 'n':
      return check_scalar(at, check_word(begin, "null"));
    default:
      return check_scalar(at, check_number(begin));
  }
}

bool JsonDocument::check_object(JsonToken& at, int depth) {
  if (depth > max_depth_) return fail_too_deep(at);
  const JsonToken object = at++;
  if (kind(at) == '}') return ++at, true;
  const std::size_t first_name = names_.size();
  do {
    if (!check_name(at) || !check_value(at, depth)) return false;
  } while (kind(at++) == ',');
  if (kind(at - 1) != '}') return fail(at - 1, "expected , or } after a member");
  return check_names_differ(object, first_name);
}

bool JsonDocument::check_name(JsonToken& at) {
  const JsonToken name = at;
  if (kind(name) != '"') return fail(name, "expected a member's name in quotes");
  if (!check_string(at)) return false;
  if (kind(at) != ':') return fail(at, "expected : after a member's name");
  ++at;
  // Without its escapes: "a" and "\u0061" are the same name.
  names_.push_back(string(name));
  return true;
}

bool JsonDocument::check_array(JsonToken& at, int depth) {
  if (depth > max_depth_) return fail_too_deep(at);
  ++at;
  if (kind(at) == ']') return ++at, true;
  do {
    if (!check_value(at, depth)) return false;
  } while (kind(at++) == ',');
  return kind(at - 1) == ']' || fail(at - 1, "expected , or ] after an element");
}

bool JsonDocument::check_string(JsonToken& at) {
  if (has_escapes_) {
    // Written past the end of what must be kept, because only the fault matters here.
    if (const char* fault =
            unescape(between_quotes(at), unescaped_.data() + unescaped_end_).fault) {
      return fail(at, fault);
    }
  }
  ++at;
  return true;
}

bool JsonDocument::check_scalar(JsonToken& at, const char* fault) {
  if (fault != nullptr) return fail(at, fault);
  ++at;
  return true;
}

bool JsonDocument::check_names_differ(JsonToken object, std::size_t first_name) {
  const std::span<std::string_view> names = std::span(names_).subspan(first_name);
  const std::string_view* repeated =
      names.size() <= kNamesComparedPairwise ? repeated_of_few(names) : repeated_of_many(names);
  if (repeated != nullptr) return fail_repeated(object, *repeated);
  names_.resize(first_name);
  return true;
}

bool JsonDocument::fail_too_deep(JsonToken at) {
  return fail(at, "arrays and objects are more than " + std::to_string(max_depth_) + " deep");
}

bool JsonDocument::fail(JsonToken at, std::string_view detail) {
  const bool past_end = at == scanner_.count();
  fault_ = JsonFault{pointer_to(at), past_end ? "the text may be cut off: " : ""};
  fault_->detail += std::string(detail) + " at byte " + std::to_string(places_[at]);
  return false;
}

bool JsonDocument::fail_repeated(JsonToken object, std::string_view name) {
  fault_ = JsonFault{pointer_to(object), "the member \"" + excerpt(name) + "\" appears twice"};
  append_to_pointer(fault_->pointer, name);
  return false;
}

// Relies on everything before `target` being checked: brackets match and each ':' follows a name.
std::string JsonDocument::pointer_to(JsonToken target) const {
  struct Level {
    bool is_array;
    std::size_t index;
    std::optional<JsonToken> name;
  };
  std::vector<Level> levels;
  for (JsonToken at = 0; at < target; ++at) {
    const char c = kind(at);
    if (c == '{' || c == '[') levels.push_back({c == '[', 0, std::nullopt});
    if (c == '}' || c == ']') levels.pop_back();
    if (c == ':') levels.back().name = at - 1;
    if (c == ',') levels.back() = {levels.back().is_array, levels.back().index + 1, std::nullopt};
  }
  std::string pointer;
  for (const Level& level : levels) {
    if (level.is_array) pointer += '/' + std::to_string(level.index);
    if (!level.name) continue;
    const std::string_view escaped = between_quotes(*level.name);
    std::string name(escaped.size(), '\0');
    name.resize(static_cast<std::size_t>(unescape(escaped, name.data()).end - name.data()));
    append_to_pointer(pointer, name);
  }
  return pointer;
}

void append_to_pointer(std::string& pointer, std::string_view name) {
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
}

}  // namespace penstock
