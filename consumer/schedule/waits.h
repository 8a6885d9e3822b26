// What kind of thing a live job waits for, for users: beside the sentence that says why it is not
// running, a word to count and to filter by. Values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock {

enum class Waits : std::uint8_t {
  kNothing,  // it runs, or has ended
  kTime,     // for its run_at
  kRetry,    // for the end of its backoff
  kTurn,     // for a free place, or for its account's turn: it is ready
  kAccount,  // for another job of its account: account_concurrency, its batch, or a strict order
  kLimit,
  kUnique,
  kPause,
  kBreaker,
  kReplay,
  kType,    // for a worker that knows its type
  kWorker,  // for its worker: to take the partition over, or for what runs on after a stop
};
inline constexpr Waits kLastWaits = Waits::kWorker;

// Such as "limit".
[[nodiscard]] std::string_view to_string(Waits waits);

// What stands in the way. `name`: of the limit, the job, the type or the replay; empty: none.
struct Blocker {
  Waits kind = Waits::kNothing;
  std::string name = {};
};

}  // namespace penstock
