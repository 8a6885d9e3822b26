// Reads a JSON value strictly into plain variables. A ConfigFault keeps the first error, and later
// reads change nothing, so a caller can read a whole document and check once at the end. Errors
// have the form `POINTER: found WHAT, expected WHAT`. Used from one thread.
//
//   ConfigFault fault;
//   const ConfigObject http = ConfigValue(json, "/http", fault).object({"listen", "open_metrics"});
//   http.read("listen", config.listen);  // unchanged if the member is absent
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "topics/values/result.h"
#include "topics/values/types.h"

namespace penstock {

class ConfigFault {
 public:
  // Keeps only the first message.
  void refuse(std::string_view pointer, std::string_view message);
  [[nodiscard]] const std::optional<Error>& first() const { return first_; }

 private:
  std::optional<Error> first_;
};

template <typename T>
struct Range {
  T least;
  T most;
};

enum class Zero : std::uint8_t { kAllowed, kRefused };

// The member names that an object may have.
struct ConfigKeys {
  std::vector<std::string_view> known;
};

[[nodiscard]] bool is_one_of(std::span<const std::string_view> names, std::string_view name);

template <typename T>
using Choices = std::span<const std::pair<std::string_view, T>>;
template <typename T, std::size_t N>
using ChoiceTable = std::array<std::pair<std::string_view, T>, N>;

class ConfigObject;

class ConfigValue {
 public:
  ConfigValue(const nlohmann::ordered_json& json, std::string pointer, ConfigFault& fault);

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_object() const;

  // the message is "found <the value>, expected <expected>"
  void refuse(std::string_view expected) const;
  void refuse_plainly(std::string_view message) const;

  // These leave `out` unchanged on an error.
  void read(std::string& out) const;  // must not be empty
  void read(bool& out) const;
  void read(int& out, Range<int> range) const;
  void read(double& out, Range<double> range) const;
  void read(Duration& out, Zero zero) const;
  void read(Duration& out, Range<Duration> range) const;
  void read(std::vector<std::string>& out) const;
  void read_scalar_as_text(std::string& out) const;  // a string, a number, true or false
  void read_name_or_number(std::string& out) const;  // a string, or a whole number as text
  void read_any_text(std::string& out) const;        // a string that may be empty

  [[nodiscard]] ConfigObject object(const ConfigKeys& keys) const;  // other members are an error
  [[nodiscard]] ConfigObject any_object() const;
  // The elements of an array, which must have `size` elements, called `what` in the message. Empty
  // on an error.
  [[nodiscard]] std::vector<ConfigValue> array(std::string_view what,
                                               Range<std::size_t> size) const;

 private:
  [[nodiscard]] std::optional<Duration> duration() const;  // absent: it was refused

  const nlohmann::ordered_json* json_;
  std::string pointer_;
  ConfigFault* fault_;
};

// The members of an object; none if the value was not an object.
class ConfigObject {
 public:
  explicit ConfigObject(std::vector<std::pair<std::string, ConfigValue>> members);

  using Members = std::vector<std::pair<std::string, ConfigValue>>;

  [[nodiscard]] const Members& members() const& { return members_; }
  [[nodiscard]] Members members() && { return std::move(members_); }
  [[nodiscard]] const ConfigValue* find(std::string_view name) const;

  // Like those of ConfigValue; an absent member leaves `out` unchanged.
  template <typename T, typename... Rules>
  void read(std::string_view name, T& out, Rules... rules) const {
    if (const ConfigValue* value = find(name)) value->read(out, rules...);
  }
  // A string, or null, which counts as absent.
  void read_nullable(std::string_view name, std::string& out) const;

  // Reads one of `choices`.
  template <typename T>
  void read_choice(std::string_view name, T& out, std::type_identity_t<Choices<T>> choices) const {
    const std::optional<std::string> text = read_name(name);
    if (!text) return;
    std::vector<std::string_view> names;
    for (const auto& [choice, value] : choices) {
      if (choice == *text) return void(out = value);
      names.push_back(choice);
    }
    refuse_choice(name, names);
  }

 private:
  [[nodiscard]] std::optional<std::string> read_name(std::string_view name) const;
  void refuse_choice(std::string_view name, std::span<const std::string_view> names) const;

  std::vector<std::pair<std::string, ConfigValue>> members_;
};

}  // namespace penstock
