// Reads the values of a record's members and checks them by the rules in docs/job-record.md. The
// first value that breaks its rule becomes the fault, and every later call returns an empty value
// at once. Belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topics/json/json_document.h"
#include "topics/record/bad_record.h"
#include "topics/record/job_record.h"

namespace penstock {

class JobFields {
 public:
  explicit JobFields(JsonDocument& document) : document_(document) {}

  [[nodiscard]] bool ok() const { return !fault_; }
  [[nodiscard]] std::optional<BadRecord>& fault() { return fault_; }
  // `where` is the member's JSON pointer. Always returns false, so that the caller can return it.
  bool fail(std::string where, std::string detail);

  // `where` is the pointer of the object that contains the member, `name` the member's name in it.
  struct Field {
    std::string_view where;
    std::string_view name;
    JsonToken value;
  };
  [[nodiscard]] std::string_view text(const Field& field);
  [[nodiscard]] std::string_view text(const Field& field, std::size_t max_bytes);
  [[nodiscard]] std::string_view type_name(const Field& field);
  [[nodiscard]] Op op(const Field& field);
  [[nodiscard]] std::int64_t integer(const Field& field, std::int64_t least, std::int64_t most);
  [[nodiscard]] Time time(const Field& field);
  // The raw text of an object.
  [[nodiscard]] std::string_view object(const Field& field);

 private:
  void refuse(const Field& field, std::string_view expected);

  JsonDocument& document_;
  std::optional<BadRecord> fault_;
};

}  // namespace penstock
