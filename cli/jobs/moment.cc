#include "cli/jobs/moment.h"

#include "consumer/policy/duration.h"
#include "topics/values/printable.h"
#include "topics/values/rfc3339.h"
#include "topics/values/whole_number.h"

namespace penstock {

Result<std::int64_t> moment_ms(const std::string& text) {
  if (const auto time = parse_rfc3339(text)) return to_ms(*time);
  const auto ms = whole_number<std::int64_t>(text);
  if (ms && *ms >= 0 && *ms <= to_ms(kMaxTime)) return *ms;
  return failure("found \"" + printable(text) +
                 "\", expected a time such as 2026-03-01T12:00:00Z, or milliseconds since 1970");
}

Result<std::int64_t> past_moment_ms(const std::string& text, Time now) {
  if (const auto age = parse_duration(text)) return to_ms(now - *age);
  const auto moment = moment_ms(text);
  if (moment) return moment;
  return failure(moment.error().message + ", or an age such as 2h");
}

CLI::Validator as_past_moment() {
  const auto transform = [](std::string& text) {
    const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    const auto moment = past_moment_ms(text, now);
    if (!moment) return moment.error().message;
    text = std::to_string(*moment);
    return std::string();
  };
  return CLI::Validator(transform, "", "past moment");
}

}  // namespace penstock
