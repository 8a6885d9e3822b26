#include "api/request/when.h"

#include "consumer/policy/duration.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

tl::unexpected<Problem> bad(const char* member, std::string detail) {
  return tl::unexpected(Problem{.status = 422, .detail = std::move(detail), .member = member});
}

tl::expected<Time, Problem> run_at_of(const nlohmann::json& value) {
  if (value.is_number_integer()) return time_from_ms(value.get<std::int64_t>());
  const auto time = value.is_string() ? parse_rfc3339(value.get<std::string>()) : std::nullopt;
  if (time) return *time;
  return bad("/run_at",
             "expected a time such as \"2031-01-01T09:00:00Z\", or milliseconds since 1970");
}

tl::expected<Time, Problem> in_of(const nlohmann::json& value, Time now) {
  if (!value.is_string()) return bad("/in", "expected a duration such as \"5m\"");
  const auto wait = parse_duration(value.get<std::string>());
  if (!wait) return bad("/in", wait.error().message);
  return now + *wait;
}

}  // namespace

tl::expected<Time, Problem> asked_time(const nlohmann::json& object, Time now) {
  const auto at = object.find("run_at"), in = object.find("in");
  if ((at == object.end()) == (in == object.end()))
    return bad("/run_at", "expected either \"run_at\", a time, or \"in\", a duration");
  return at != object.end() ? run_at_of(*at) : in_of(*in, now);
}

}  // namespace penstock
