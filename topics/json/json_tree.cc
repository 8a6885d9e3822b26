#include "topics/json/json_tree.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "topics/json/json_scalar.h"
#include "topics/values/check.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Node = JsonTree::Node;

// A bound far from the limits of std::int64_t, so that sums with numbers of digits cannot overflow.
constexpr std::int64_t kMaxExponent = 1'000'000'000'000'000;
constexpr std::size_t kMaxPlainDigits = 21;

// The digits after the "e" of a number.
std::int64_t exponent_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char digit : text) {
    exponent = std::min(kMaxExponent, exponent * 10 + (digit - '0'));
  }
  return negative ? -exponent : exponent;
}

// Digits times a power of ten. The digits have no zeros at either end, and are empty for 0.
struct Decimal {
  bool negative = false;
  std::string digits = {};
  std::int64_t exponent = 0;
};

Decimal decimal_of(std::string_view number) {
  Decimal decimal;
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  if (e < number.size()) decimal.exponent = exponent_of(number.substr(e + 1));
  const std::string_view mantissa = number.substr(0, e);
  if (const std::size_t point = mantissa.find('.'); point != mantissa.npos) {
    decimal.exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  std::copy_if(mantissa.begin(), mantissa.end(), std::back_inserter(decimal.digits), is_digit);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  const std::size_t zeros = decimal.digits.size() - (decimal.digits.find_last_not_of('0') + 1);
  decimal.digits.resize(decimal.digits.size() - zeros);
  decimal.exponent += static_cast<std::int64_t>(zeros);
  decimal.negative = number.starts_with('-') && !decimal.digits.empty();
  return decimal;
}

void append_number(std::string& out, std::string_view number) {
  const Decimal decimal = decimal_of(number);
  if (decimal.digits.empty()) return void(out += '0');
  if (decimal.negative) out += '-';
  out += decimal.digits;
  const auto room =
      static_cast<std::int64_t>(kMaxPlainDigits) - static_cast<std::int64_t>(decimal.digits.size());
  if (decimal.exponent == 0 && room >= 0) return;
  if (decimal.exponent > 0 && decimal.exponent <= room) {
    return void(out.append(static_cast<std::size_t>(decimal.exponent), '0'));
  }
  out += 'e';
  out += std::to_string(decimal.exponent);
}

void append_object(std::string& out, const Node& node) {
  out += '{';
  for (const auto& [name, value] : node.members) {
    if (&value != &node.members.front().second) out += ',';
    append_json_string(out, name);
    out += ':';
    append_canonical(out, value);
  }
  out += '}';
}

void append_array(std::string& out, const Node& node) {
  out += '[';
  for (const Node& element : node.elements) {
    if (&element != &node.elements.front()) out += ',';
    append_canonical(out, element);
  }
  out += ']';
}

const Node* member(const Node& object, std::string_view name) {
  const auto& members = object.members;
  const auto found = std::lower_bound(
      members.begin(), members.end(), name,
      [](const auto& candidate, std::string_view wanted) { return candidate.first < wanted; });
  return found != members.end() && found->first == name ? &found->second : nullptr;
}

// An index has no leading zero (RFC 6901).
const Node* element(const Node& array, std::string_view token) {
  const auto index = whole_number<std::size_t>(token);
  const bool is_index = index && (token.size() == 1 || token.front() != '0');
  return is_index && *index < array.elements.size() ? &array.elements[*index] : nullptr;
}

}  // namespace

void JsonTree::parse(std::string_view text) {
  // The old tree consists of views into the buffers that the document is about to overwrite.
  root_ = {};
  const auto fault = document_.parse(text);
  PENSTOCK_CHECK(!fault, "a text that was checked before must parse");
  root_ = node(JsonDocument::root());
}

JsonTree::Node JsonTree::node(JsonToken value) {
  Node node;
  node.kind = document_.kind(value);
  if (node.kind == '-' || is_digit(node.kind)) node.kind = '0';
  if (node.kind == '0') node.text = document_.raw(value);
  if (node.kind == '"') node.text = document_.string(value);
  if (node.kind == '[') {
    document_.each_element(value, [&](JsonToken at) { node.elements.push_back(this->node(at)); });
  }
  if (node.kind == '{') {
    document_.each_member(value, [&](std::string_view name, JsonToken at) {
      node.members.emplace_back(name, this->node(at));
    });
    // The names differ (parse() has checked that), so the order is unique.
    std::sort(node.members.begin(), node.members.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return node;
}

const JsonTree::Node* JsonTree::find(const JsonPointer& pointer) const {
  const Node* at = &root_;
  for (const std::string& token : pointer.tokens) {
    at = at->kind == '{' ? member(*at, token) : at->kind == '[' ? element(*at, token) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

void append_canonical(std::string& out, const Node& node) {
  switch (node.kind) {
    case '{':
      return append_object(out, node);
    case '[':
      return append_array(out, node);
    case '"':
      return append_json_string(out, node.text);
    case '0':
      return append_number(out, node.text);
    case 't':
      return void(out += "true");
    case 'f':
      return void(out += "false");
    default:
      return void(out += "null");
  }
}

namespace {

// Whether some byte is below 0x20, a quote or a backslash: eight bytes at a time, because nearly no
// string has any. (Hacker's Delight, 6-1: a byte of x is zero if (x - 1) & ~x has its high bit.)
bool needs_escape(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighs = 0x8080808080808080;
  const auto has_zero = [](std::uint64_t x) { return ((x - kOnes) & ~x & kHighs) != 0; };
  while (!text.empty()) {
    std::uint64_t word = kOnes * ' ';  // what stands behind the end
    const std::size_t bytes = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), bytes);
    const bool is_below = ((word - kOnes * ' ') & ~word & kHighs) != 0;
    if (is_below || has_zero(word ^ (kOnes * '"')) || has_zero(word ^ (kOnes * '\\'))) return true;
    text.remove_prefix(bytes);
  }
  return false;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  if (!needs_escape(text)) {
    out.append(text).append(1, '"');
    return;
  }
  std::size_t plain = 0;  // where what needs no escape begins
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    if (byte >= 0x20) {
      out += '\\';
      out += static_cast<char>(byte);
    } else {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

}  // namespace penstock
