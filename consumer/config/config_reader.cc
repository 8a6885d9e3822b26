#include "consumer/config/config_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "consumer/config/config_json.h"
#include "consumer/config/spelling.h"
#include "consumer/policy/duration.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxShownBytes = 80;

std::string with_quotes(std::string_view text) {
  std::string dumped = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  if (dumped.size() <= kMaxShownBytes) return dumped;
  return "a string of " + std::to_string(text.size()) + " bytes";
}

std::string shown(const Json& json) {
  if (json.is_object()) return json.empty() ? "an empty object" : "an object";
  if (json.is_array()) return json.empty() ? "an empty array" : "an array";
  return json.is_string() ? with_quotes(json.get_ref<const std::string&>()) : json.dump();
}

bool has_nul(std::string_view text) { return text.find('\0') != text.npos; }

std::string number_text(double number) {
  std::string text = Json(number).dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

// "a", "b" or "c"
std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += with_quotes(names[i]);
  }
  return text;
}

// Empty if it is not an integer, or does not fit.
std::optional<std::int64_t> integer_of(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  // The parser has large numbers as unsigned, which would wrap.
  const bool fits =
      !json.is_number_unsigned() || std::in_range<std::int64_t>(json.get<std::uint64_t>());
  return fits ? std::optional(json.get<std::int64_t>()) : std::nullopt;
}

std::string unknown_key_message(std::string_view name, const ConfigKeys& keys) {
  std::string message = "found an unknown key, expected " + alternatives(keys.known);
  if (const auto nearest = nearest_word(name, keys.known)) {
    message += "; did you mean " + with_quotes(*nearest) + "?";
  }
  return message;
}

}  // namespace

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void ConfigFault::refuse(std::string_view pointer, std::string_view message) {
  // Later errors may merely follow from the first.
  if (first_) return;
  const std::string_view place = pointer.empty() ? "the document" : pointer;
  first_ = Error{std::string(place) + ": " + std::string(message)};
}

ConfigValue::ConfigValue(const Json& json, std::string pointer, ConfigFault& fault)
    : json_(&json), pointer_(std::move(pointer)), fault_(&fault) {}

bool ConfigValue::is_null() const { return json_->is_null(); }
bool ConfigValue::is_object() const { return json_->is_object(); }

void ConfigValue::refuse(std::string_view expected) const {
  refuse_plainly("found " + shown(*json_) + ", expected " + std::string(expected));
}

void ConfigValue::refuse_plainly(std::string_view message) const {
  fault_->refuse(pointer_, message);
}

void ConfigValue::read(std::string& out) const {
  if (!json_->is_string()) return refuse("a string");
  const auto& text = json_->get_ref<const std::string&>();
  if (text.empty()) return refuse("a string that is not empty");
  if (has_nul(text)) return refuse("a string without a NUL character");
  out = text;
}

void ConfigValue::read(bool& out) const {
  if (!json_->is_boolean()) return refuse("true or false");
  out = json_->get<bool>();
}

void ConfigValue::read(int& out, Range<int> range) const {
  const auto number = integer_of(*json_);
  if (!number || *number < range.least || *number > range.most) {
    return refuse("a whole number from " + std::to_string(range.least) + " to " +
                  std::to_string(range.most));
  }
  out = static_cast<int>(*number);
}

void ConfigValue::read(double& out, Range<double> range) const {
  const double number = json_->is_number() ? json_->get<double>() : NAN;
  // Written so that NAN is refused.
  if (!(number >= range.least && number <= range.most)) {
    return refuse("a number from " + number_text(range.least) + " to " + number_text(range.most));
  }
  out = number;
}

std::optional<Duration> ConfigValue::duration() const {
  if (!json_->is_string()) {
    refuse("a duration such as \"15s\"");
    return std::nullopt;
  }
  const auto duration = parse_duration(json_->get_ref<const std::string&>());
  if (duration) return *duration;
  refuse_plainly(duration.error().message);
  return std::nullopt;
}

void ConfigValue::read(Duration& out, Zero zero) const {
  const auto read = duration();
  if (!read) return;
  if (*read == Duration::zero() && zero == Zero::kRefused) {
    return refuse("a duration longer than 0s");
  }
  out = *read;
}

void ConfigValue::read(Duration& out, Range<Duration> range) const {
  const auto read = duration();
  if (!read) return;
  if (*read < range.least || *read > range.most) {
    return refuse("a duration from " + duration_text(range.least) + " to " +
                  duration_text(range.most));
  }
  out = *read;
}

void ConfigValue::read(std::vector<std::string>& out) const {
  if (!json_->is_array()) return refuse("an array of strings");
  std::vector<std::string> words;
  for (const Json& element : *json_) {
    const ConfigValue value(element, member_pointer(pointer_, std::to_string(words.size())),
                            *fault_);
    if (!element.is_string()) return value.refuse("a string");
    words.push_back(element.get<std::string>());
  }
  out = std::move(words);
}

void ConfigValue::read_scalar_as_text(std::string& out) const {
  if (json_->is_string()) {
    const auto& text = json_->get_ref<const std::string&>();
    // The value may be a secret, so it is not shown.
    if (has_nul(text)) {
      return refuse_plainly("found a NUL character, expected a string without one");
    }
    out = text;
  } else if (json_->is_number() || json_->is_boolean()) {
    out = json_->dump();
  } else {
    refuse("a string, a number, true or false");
  }
}

void ConfigValue::read_name_or_number(std::string& out) const {
  const bool is_good = json_->is_string() || integer_of(*json_).has_value();
  if (!is_good) return refuse("a string or a whole number");
  read_scalar_as_text(out);
}

void ConfigValue::read_any_text(std::string& out) const {
  if (!json_->is_string()) return refuse("a string");
  read_scalar_as_text(out);
}

std::vector<ConfigValue> ConfigValue::array(std::string_view what, Range<std::size_t> size) const {
  std::vector<ConfigValue> elements;
  if (!json_->is_array() || json_->size() < size.least || json_->size() > size.most) {
    refuse("an array of " + std::to_string(size.least) + " to " + std::to_string(size.most) + ' ' +
           std::string(what));
    return elements;
  }
  for (const Json& element : *json_) {
    const std::string index = std::to_string(elements.size());
    elements.emplace_back(element, member_pointer(pointer_, index), *fault_);
  }
  return elements;
}

ConfigObject ConfigValue::any_object() const {
  std::vector<std::pair<std::string, ConfigValue>> members;
  if (!json_->is_object()) refuse("an object");
  if (json_->is_object()) {
    for (const auto& [name, value] : json_->items()) {
      members.emplace_back(name, ConfigValue(value, member_pointer(pointer_, name), *fault_));
    }
  }
  return ConfigObject(std::move(members));
}

ConfigObject ConfigValue::object(const ConfigKeys& keys) const {
  ConfigObject result = any_object();
  for (const auto& [name, value] : result.members()) {
    if (!is_one_of(keys.known, name)) value.refuse_plainly(unknown_key_message(name, keys));
  }
  return result;
}

ConfigObject::ConfigObject(std::vector<std::pair<std::string, ConfigValue>> members)
    : members_(std::move(members)) {}

const ConfigValue* ConfigObject::find(std::string_view name) const {
  const auto it = std::find_if(members_.begin(), members_.end(),
                               [name](const auto& member) { return member.first == name; });
  return it == members_.end() ? nullptr : &it->second;
}

void ConfigObject::read_nullable(std::string_view name, std::string& out) const {
  const ConfigValue* value = find(name);
  if (value != nullptr && !value->is_null()) value->read(out);
}

std::optional<std::string> ConfigObject::read_name(std::string_view name) const {
  std::string text;
  if (const ConfigValue* value = find(name)) value->read(text);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

void ConfigObject::refuse_choice(std::string_view name,
                                 std::span<const std::string_view> names) const {
  find(name)->refuse(alternatives(names));
}

}  // namespace penstock
