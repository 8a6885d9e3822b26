#include "api/gateway/sending.h"

#include <utility>

namespace penstock {

bool Sending::has_space(std::size_t bytes) {
  constexpr std::chrono::milliseconds kLookEvery{200};
  for (auto waited = 0 * kLookEvery; waited < kWaitForSpace && !stopping(); waited += kLookEvery) {
    // In short waits, so that a stop is noticed.
    if (sink_.wait_for_space(bytes, kLookEvery)) return true;
  }
  return false;
}

void Sending::send(const std::string& queue, std::string_view account, std::string_view value,
                   DeliveryCallback done, bool* full) {
  const bool gave_up = full != nullptr && *full;
  if (!gave_up && has_space(account.size() + value.size()))
    return sink_.send(queue, account, value, std::move(done));
  if (full != nullptr) *full = true;
  done({{},
        Failure{FailureReason::kBufferFull, "",
                "the buffer is full: Kafka accepts nothing at the moment"}});
}

}  // namespace penstock
