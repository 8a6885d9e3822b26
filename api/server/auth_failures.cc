#include "api/server/auth_failures.h"

#include <algorithm>

namespace penstock {

bool AuthFailures::failed(const std::string& address, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!clear_at_.contains(address) && clear_at_.size() >= kMaxAddresses) {
    std::erase_if(clear_at_, [now](const auto& entry) { return entry.second <= now; });
    if (clear_at_.size() >= kMaxAddresses) {
      clear_at_.erase(
          std::min_element(clear_at_.begin(), clear_at_.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; }));
    }
  }
  Clock::time_point& clear_at = clear_at_[address];
  clear_at = std::max(clear_at, now);
  if (clear_at + kEvery > now + kBurst * kEvery) return false;
  clear_at += kEvery;
  return true;
}

}  // namespace penstock
