#include "consumer/worker/failure_log.h"

#include <utility>

#include "consumer/handlers/protocol/reason.h"
#include "topics/values/printable.h"
#include "topics/values/rfc3339.h"

namespace penstock {

std::string to_string(const FailedAttempt& failed) {
  const JobRow& row = failed.row;
  std::string line = "attempt " + std::to_string(failed.attempt) + " of " +
                     std::to_string(failed.max_attempts) + " of job " + quoted_text(row.id) + " (" +
                     row.type + ", account " + quoted_text(row.account) +
                     ") failed: " + one_line(failed.error);
  return line +
         (failed.again ? "; again at " + format_rfc3339(*failed.again) : "; the job is dead");
}

void FailureLog::failed(const FailedAttempt& failed, Instant now) {
  const std::lock_guard lock(mutex_);
  Period& period = periods_[failed.row.type];
  if (now >= period.end) {
    end_period(failed.row.type, period);
    period.end = now + kPeriod;
  }
  if (period.lines >= kMaxLines) {
    ++period.left_out;
    return;
  }
  ++period.lines;
  sink_(to_string(failed));
}

void FailureLog::report_rest(Instant now) {
  const std::lock_guard lock(mutex_);
  for (auto& [type, period] : periods_) {
    if (now >= period.end) end_period(type, period);
  }
}

void FailureLog::end_period(const std::string& type, Period& period) {
  const std::uint64_t left_out = std::exchange(period, {}).left_out;
  if (left_out == 0) return;
  sink_("and " + std::to_string(left_out) + " more failed attempts of type " + type + " within " +
        std::to_string(kPeriod.count()) + " s");
}

}  // namespace penstock
