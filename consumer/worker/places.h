// The places for attempts that a process has, and which of its loops may have the next one when
// several want it: by the weights of their queues, or strictly in the queues' order.
//
//   offer(loop)  ->  the loop starts up to so many  ->  settle(loop)
//
// What always holds:
//  - no more attempts are offered places than there are, nor a queue more than it may have;
//  - a place is left free only where nobody wants it: a loop wants one when it was offered none, or
//  used all that it
//    was offered, and has more to start; who has nothing to start holds nobody back;
//  - of those that want one, the next is the queue that has had the fewest starts for its weight
//  since it came to want
//    (stride scheduling), or the first in order; of a queue's loops the one that runs the fewest,
//    and of those the one that has waited longest.
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
  static constexpr int kMostPicked = 256;  // in one offer, where several want places

  Places(int places, bool strict) : places_(places), strict_(strict) {}

  // In their order. `most`: its own.
  [[nodiscard]] std::size_t add_queue(int weight, std::optional<int> most);
  [[nodiscard]] std::size_t add_loop(std::size_t queue, std::function<void()> wake);

  // How many attempts the loop may start now, of which `running` run. They are its own until it
  // settles.
  [[nodiscard]] int offer(std::size_t loop, int running);
  // It has started so many, and wants more or does not.
  void settle(std::size_t loop, int running, int started, bool wants);

 private:
  struct Queue {
    std::int64_t stride = 0;  // what a start costs
    int most = 0;
    std::int64_t tag = 0;  // virtual time of its next start
    int used = 0;          // running, or offered
    bool wants = false;    // some loop of it
  };
  struct Loop {
    std::size_t queue = 0;
    std::function<void()> wake;
    int running = 0, offered = 0;
    bool wants = false;
    std::uint64_t served = 0;  // the number of the settling in which it has started something last
  };
  // What a pick changes, tried out.
  struct Trial {
    std::vector<std::int64_t> tags;
    std::vector<int> used;   // of the queues
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
