#include "consumer/loop/crash_notices.h"

namespace penstock {

void CrashNotices::sent(const InFlight& job) {
  const std::lock_guard lock(mutex_);
  notices_[job] = std::nullopt;
  any_ = true;
}

void CrashNotices::appended(const InFlight& job, std::optional<Offset> at) {
  const std::lock_guard lock(mutex_);
  const auto found = notices_.find(job);
  if (found == notices_.end()) return;
  found->second = at;
  if (!at) notices_.erase(found);
  any_ = !notices_.empty();
}

bool CrashNotices::awaited(std::string_view queue, std::string_view account, std::string_view id,
                           Offset input_next, Offset counted) {
  if (!any_) return false;
  const std::lock_guard lock(mutex_);
  const auto found = notices_.find({std::string(queue), std::string(account), std::string(id)});
  if (found == notices_.end()) return false;
  // A notice without an offset has not been acknowledged yet: it may be in the log anywhere from
  // now on.
  if (!found->second || *found->second >= input_next) return true;
  // It has been read, but not in a commit that counts. If the commit is lost, the next tenure reads
  // the notice again and must await it again, so it is not forgotten yet.
  if (*found->second >= counted) return false;
  notices_.erase(found);
  any_ = !notices_.empty();
  return false;
}

}  // namespace penstock
