#include "topics/record/job_fields.h"

#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

bool is_number(char kind) { return kind == '-' || (kind >= '0' && kind <= '9'); }

}  // namespace

bool JobFields::fail(std::string where, std::string detail) {
  // The first fault is the one to report; later ones may only follow from it.
  if (!fault_) fault_ = BadRecord{BadReason::kBadField, std::move(where), std::move(detail)};
  return false;
}

void JobFields::refuse(const Field& field, std::string_view expected) {
  std::string pointer(field.where);
  append_to_pointer(pointer, field.name);
  std::string detail = pointer + " is " + excerpt(document_.raw(field.value));
  fail(std::move(pointer), detail + ", expected " + std::string(expected));
}

std::string_view JobFields::text(const Field& field) {
  if (!ok()) return {};
  if (document_.kind(field.value) == '"') return document_.string(field.value);
  refuse(field, "a string");
  return {};
}

std::string_view JobFields::text(const Field& field, std::size_t max_bytes) {
  const std::string_view text = this->text(field);
  if (ok() && (text.empty() || text.size() > max_bytes)) {
    refuse(field, "a string of 1 to " + std::to_string(max_bytes) + " bytes");
  }
  return text;
}

std::string_view JobFields::type_name(const Field& field) {
  const std::string_view type = text(field, kMaxTypeBytes);
  if (ok() && !is_type_name(type)) {
    refuse(field, "only ASCII letters, digits and . _ : -");
  }
  return type;
}

Op JobFields::op(const Field& field) {
  const std::string_view op = text(field);
  if (op == "enqueue") return Op::kEnqueue;
  if (op == "cancel") return Op::kCancel;
  if (op == "retry") return Op::kRetry;
  if (op == "reschedule") return Op::kReschedule;
  if (op == "delete") return Op::kDelete;
  if (ok()) refuse(field, "enqueue, cancel, retry, reschedule or delete");
  return Op::kEnqueue;
}

std::int64_t JobFields::integer(const Field& field, std::int64_t least, std::int64_t most) {
  if (!ok()) return least;
  // The raw text, not a double: 1.0 and 1e3 are refused, and no digit is lost.
  const auto value = whole_number<std::int64_t>(document_.raw(field.value));
  if (value && *value >= least && *value <= most) return *value;
  refuse(field, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return least;
}

Time JobFields::time(const Field& field) {
  if (!ok()) return {};
  const char kind = document_.kind(field.value);
  if (kind == '"') {
    if (const auto time = parse_rfc3339(document_.string(field.value))) return *time;
  } else if (is_number(kind)) {
    const auto ms = whole_number<std::int64_t>(document_.raw(field.value));
    if (ms && *ms >= to_ms(kMinTime) && *ms <= to_ms(kMaxTime)) return time_from_ms(*ms);
  }
  refuse(field,
         "an RFC 3339 time (2026-03-01T12:00:00Z) or an integer number of milliseconds since "
         "1970, in the years 0 to 9999");
  return {};
}

std::string_view JobFields::object(const Field& field) {
  if (!ok()) return {};
  if (document_.kind(field.value) != '{') refuse(field, "an object");
  return document_.raw(field.value);
}

}  // namespace penstock
