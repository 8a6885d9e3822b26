// A JSON text that is checked strictly and then read in place; only strings with escapes are
// copied.
//
//   JsonDocument document;
//   if (auto fault = document.parse(text)) ...  // not valid JSON: where and why
//   document.each_member(document.root(), [&](std::string_view name, JsonToken value) { ... });
//
// Beyond the grammar of RFC 8259, parse() requires that the text is UTF-8 (hence without a byte
// order mark), that escapes contain no lone surrogates, that no object repeats a member name (after
// escapes are resolved), that arrays and objects are at most `max_depth` deep, and that numbers are
// within the range of a double (json_scalar.h).
//
// A document reuses its buffers: it allocates only for a text that is larger or wider than all
// before, and for a fault. It belongs to one thread; its results are valid until the next parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topics/json/json_scanner.h"

namespace penstock {

inline constexpr int kMaxDepth = 64;  // for a job record; the outermost object is depth 1

// Identifies a value (or a name or bracket) by its index in the text.
using JsonToken = std::uint32_t;

struct JsonFault {
  std::string pointer;  // JSON pointer to the value at fault; "" for the whole text
  std::string detail;   // one line
};

class JsonDocument {
 public:
  // At most 4 GiB.
  [[nodiscard]] std::optional<JsonFault> parse(std::string_view text, int max_depth = kMaxDepth);

  [[nodiscard]] static constexpr JsonToken root() { return 0; }
  // The first byte of the value: one of { [ " t f n - 0-9.
  [[nodiscard]] char kind(JsonToken value) const { return text_[places_[value]]; }
  // The value exactly as written.
  [[nodiscard]] std::string_view raw(JsonToken value) const { return before(value, after(value)); }
  // The value of a string, with its escapes resolved.
  [[nodiscard]] std::string_view string(JsonToken value) {
    const std::string_view text = between_quotes(value);
    return has_escapes_ && text.find('\\') != std::string_view::npos ? keep(text) : text;
  }

  // Calls visit(name, value) for each member of an object, in the order of the text.
  template <typename Visit>
  void each_member(JsonToken object, Visit visit) {
    for (JsonToken at = object + 1; kind(at) != '}';) {
      const std::string_view name = string(at);
      visit(name, at + 2);
      at = after(at + 2);
      if (kind(at) == ',') ++at;
    }
  }

  // Calls visit(value) for each element of an array, in order.
  template <typename Visit>
  void each_element(JsonToken array, Visit visit) const {
    for (JsonToken at = array + 1; kind(at) != ']';) {
      visit(at);
      at = after(at);
      if (kind(at) == ',') ++at;
    }
  }

 private:
  // The token that follows a value.
  [[nodiscard]] JsonToken after(JsonToken value) const {
    return kind(value) == '{' || kind(value) == '[' ? after_bracket(value) : value + 1;
  }
  [[nodiscard]] JsonToken after_bracket(JsonToken value) const;
  // The text from one token to the end of the token before another.
  [[nodiscard]] std::string_view before(JsonToken from, JsonToken next) const {
    const char* begin = text_ + places_[from];
    const char* end = text_ + places_[next];
    while (is_space(end[-1])) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  [[nodiscard]] static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
  }
  // The raw text between a string's quotes.
  [[nodiscard]] std::string_view between_quotes(JsonToken value) const {
    const std::string_view quoted = before(value, value + 1);
    return quoted.substr(1, quoted.size() - 2);
  }
  [[nodiscard]] std::string_view keep(std::string_view escaped);

  // These check what begins at `at` and move `at` past it, or record the fault and return false.
  [[nodiscard]] bool check_value(JsonToken& at, int depth);
  [[nodiscard]] bool check_object(JsonToken& at, int depth);
  [[nodiscard]] bool check_name(JsonToken& at);
  [[nodiscard]] bool check_array(JsonToken& at, int depth);
  [[nodiscard]] bool check_string(JsonToken& at);
  [[nodiscard]] bool check_scalar(JsonToken& at, const char* fault);
  [[nodiscard]] bool check_names_differ(JsonToken object, std::size_t first_name);

  [[nodiscard]] bool fail(JsonToken at, std::string_view detail);
  [[nodiscard]] bool fail_too_deep(JsonToken at);
  [[nodiscard]] bool fail_repeated(JsonToken object, std::string_view name);
  [[nodiscard]] std::string pointer_to(JsonToken target) const;

  JsonScanner scanner_;
  const char* text_ = nullptr;
  const std::uint32_t* places_ = nullptr;
  bool has_escapes_ = false;
  int max_depth_ = kMaxDepth;
  std::vector<std::string_view> names_;  // of the objects that are open, outermost first
  // never reallocated during or after a parse, because views point into it
  std::vector<char> unescaped_;
  std::size_t unescaped_end_ = 0;
  std::optional<JsonFault> fault_;
};

// Appends "/<name>" to a JSON pointer (RFC 6901).
void append_to_pointer(std::string& pointer, std::string_view name);

}  // namespace penstock
