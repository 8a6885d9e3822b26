#include "bench/rig/turn_watch.h"

#include <atomic>
#include <optional>

#include "bench/raw/stopwatch.h"
#include "consumer/loop/loop.h"

namespace penstock {

struct TurnWatch::State {
  std::atomic<bool> is_over{false};
  std::atomic<double> longest_s{0};

  void took(double seconds) {
    double longest = longest_s.load();
    while (seconds > longest && !longest_s.compare_exchange_weak(longest, seconds)) continue;
  }
  static void call_each_turn(const std::shared_ptr<State>& state, LoopMailbox& mailbox,
                             std::optional<Stopwatch> last) {
    mailbox.call([state, last](Loop& loop) {
      if (last) state->took(last->seconds());
      if (!state->is_over) call_each_turn(state, loop.mailbox(), Stopwatch());
    });
  }
};

TurnWatch::TurnWatch() : state_(std::make_shared<State>()) {}

TurnWatch::~TurnWatch() { state_->is_over = true; }

void TurnWatch::watch(LoopMailbox& mailbox) { State::call_each_turn(state_, mailbox, {}); }

double TurnWatch::longest_ms() const { return state_->longest_s * 1e3; }

}  // namespace penstock
