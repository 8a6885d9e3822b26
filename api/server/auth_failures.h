// Limits how often an address may show a token that is not known: kBurst times at once, and one more
// per kEvery. Beyond it, the answer is 429 instead of 401, and no line is logged. A token that is
// known is admitted all the same: behind one address there may be many clients, and one of them must
// not be able to lock out the others. Tokens are too long to be guessed at any rate.
//
// Thread-safe. Knows of at most kMaxAddresses addresses; beyond that, the one that was seen longest
// ago is forgotten.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace penstock {

class AuthFailures {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kBurst = 20;
  static constexpr std::chrono::milliseconds kEvery{1'000};
  static constexpr std::size_t kMaxAddresses = 10'000;

  // A token has failed. False: the address is beyond its limit.
  [[nodiscard]] bool failed(const std::string& address, Clock::time_point now);

 private:
  std::mutex mutex_;
  // By address: when it will have no failures to its account any more (GCRA).
  std::map<std::string, Clock::time_point> clear_at_;
};

}  // namespace penstock
