#include "bench/rig/pass_watch.h"

#include <atomic>
#include <optional>

#include "bench/raw/stopwatch.h"
#include "consumer/loop/loop.h"

namespace penstock {

struct PassWatch::State {
  std::atomic<bool> is_over{false};
  std::atomic<double> longest_s{0};

  void took(double seconds) {
    double longest = longest_s.load();
    // Several loops may raise the maximum at the same time.
    while (seconds > longest && !longest_s.compare_exchange_weak(longest, seconds)) continue;
  }
  static void call_each_pass(const std::shared_ptr<State>& state, LoopMailbox& mailbox,
                             std::optional<Stopwatch> last) {
    mailbox.call([state, last](Loop& loop, Now) {
      if (last) state->took(last->seconds());
      if (!state->is_over) call_each_pass(state, loop.mailbox(), Stopwatch());
    });
  }
};

PassWatch::PassWatch() : state_(std::make_shared<State>()) {}

PassWatch::~PassWatch() { state_->is_over = true; }

void PassWatch::watch(LoopMailbox& mailbox) { State::call_each_pass(state_, mailbox, {}); }

double PassWatch::longest_ms() const { return state_->longest_s * 1e3; }

}  // namespace penstock
