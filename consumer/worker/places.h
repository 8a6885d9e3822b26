// The places for attempts in a process, and which of its loops gets the next one when several want
// it: by the weights of their queues, or strictly in the queues' order.
//
//   offer(loop)  ->  the loop starts up to that many  ->  settle(loop)
//
// What always holds:
// - No more places are offered than there are, and no queue is offered more than it may have.
// - A place stays free only if no loop wants it. A loop wants one if it was offered none, or used
//   all that it was offered, and has more to start. A loop with nothing to start does not block the
//   others.
// - Among those that want a place, the next one goes to the queue with the fewest starts relative
//   to its weight since it began to want places (stride scheduling), or to the first queue in
//   order. Within a queue, it goes to the loop that runs the fewest attempts, and among those to
//   the one that has waited longest.
//
// Thread-safe. `wake` is called without the lock, from any loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace penstock {

class Places {
 public:
  static constexpr int kMaxWeight = 1000;
  static constexpr int kMaxPickedPerOffer = 256;  // per offer, while several loops want places

  Places(int places, bool strict) : places_(places), strict_(strict) {}

  // To be called in the queues' order. `most` is the queue's own concurrency.
  [[nodiscard]] std::size_t add_queue(int weight, std::optional<int> most);
  [[nodiscard]] std::size_t add_loop(std::size_t queue, std::function<void()> wake);

  // How many attempts the loop may start now; `running` is how many it runs. The places are
  // reserved for it until it settles.
  [[nodiscard]] int offer(std::size_t loop, int running);
  // The loop has started `started` attempts; `wants`: it wants more places.
  void settle(std::size_t loop, int running, int started, bool wants);

 private:
  struct Queue {
    std::int64_t stride = 0;  // the cost of a start
    int most = 0;
    std::int64_t tag = 0;  // the virtual time of its next start
    int used = 0;          // running or offered
    bool wants = false;    // one of its loops wants places
  };
  struct Loop {
    std::size_t queue = 0;
    std::function<void()> wake;
    int running = 0, offered = 0;
    bool wants = false;
    // the number of the last settlement in which it had started something
    std::uint64_t served = 0;
  };
  // The state that a pick would change, to try it out.
  struct Trial {
    std::vector<std::int64_t> tags;
    std::vector<int> used;   // by the queues
    std::vector<int> taken;  // by the loops
  };

  [[nodiscard]] Trial trial() const;
  [[nodiscard]] std::optional<std::size_t> pick(const Trial& trial,
                                                std::optional<std::size_t> asks) const;
  void take(Trial& trial, std::size_t loop) const;
  void hold(std::size_t loop, int running, int offered);
  [[nodiscard]] int free() const;
  [[nodiscard]] bool others_want(std::size_t loop) const;
  [[nodiscard]] std::vector<std::size_t> to_wake() const;

  const int places_;
  const bool strict_;
  std::mutex mutex_;
  std::vector<Queue> queues_;
  std::vector<Loop> loops_;
  int used_ = 0;
  std::int64_t virtual_time_ = 0;
  std::uint64_t servings_ = 0;
};

}  // namespace penstock
