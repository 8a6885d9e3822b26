#include "consumer/worker/places.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

namespace penstock {
namespace {

// Strides are whole numbers.
constexpr std::int64_t kScale = 720'720;  // divisible by the weights 1 to 16

}  // namespace

std::size_t Places::add_queue(int weight, std::optional<int> most) {
  Queue queue;
  queue.stride = kScale / weight;
  queue.most = most.value_or(places_);
  queues_.push_back(queue);
  return queues_.size() - 1;
}

std::size_t Places::add_loop(std::size_t queue, std::function<void()> wake) {
  loops_.push_back({queue, std::move(wake), 0, 0, false, 0});
  return loops_.size() - 1;
}

int Places::free() const { return std::max(0, places_ - used_); }

void Places::hold(std::size_t loop, int running, int offered) {
  Loop& at = loops_[loop];
  const int more = running + offered - at.running - at.offered;
  queues_[at.queue].used += more;
  used_ += more;
  at.running = running;
  at.offered = offered;
}

Places::Trial Places::trial() const {
  Trial trial;
  for (const Queue& queue : queues_) {
    trial.tags.push_back(queue.tag);
    trial.used.push_back(queue.used);
  }
  trial.taken.resize(loops_.size());
  return trial;
}

// The loop that gets the next place; `asks` wants one, regardless of what it has said before.
std::optional<std::size_t> Places::pick(const Trial& trial, std::optional<std::size_t> asks) const {
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t i) {
    const Loop& loop = loops_[i];
    // With strict priorities, the queues are ranked as they were added. The last parts of the rank
    // make it a total order.
    const std::size_t order = strict_ ? loop.queue : 0;
    return std::tuple(order, trial.tags[loop.queue], loop.queue, loop.running + trial.taken[i],
                      loop.served, i);
  };
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const Loop& loop = loops_[i];
    if (!loop.wants && i != asks) continue;
    if (trial.used[loop.queue] >= queues_[loop.queue].most) continue;
    if (!best || rank(i) < rank(*best)) best = i;
  }
  return best;
}

void Places::take(Trial& trial, std::size_t loop) const {
  const std::size_t queue = loops_[loop].queue;
  trial.tags[queue] += queues_[queue].stride;
  ++trial.used[queue];
  ++trial.taken[loop];
}

bool Places::others_want(std::size_t loop) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& other) { return other.wants && &other != &loops_[loop]; });
}

int Places::offer(std::size_t loop, int running) {
  const std::lock_guard lock(mutex_);
  hold(loop, running, 0);
  Queue& queue = queues_[loops_[loop].queue];
  const int most = std::min(free(), queue.most - queue.used);
  if (most <= 0) return 0;
  int offered = most;
  // Without competitors, the loop may have everything that is free.
  if (others_want(loop)) {
    Trial trying = trial();
    if (!queue.wants) {
      auto& tag = trying.tags[loops_[loop].queue];
      // As settle() will do if the loop starts something: the trial must judge it by the same tag.
      tag = std::max(tag, virtual_time_);
    }
    for (int left = std::min(free(), kMaxPickedPerOffer); left > 0; --left) {
      const auto picked = pick(trying, loop);
      if (!picked) break;
      take(trying, *picked);
    }
    offered = std::min(most, trying.taken[loop]);
  }
  hold(loop, running, offered);
  return offered;
}

void Places::settle(std::size_t loop, int running, int started, bool wants) {
  std::vector<std::size_t> waking;
  {
    const std::lock_guard lock(mutex_);
    hold(loop, running, 0);
    Queue& queue = queues_[loops_[loop].queue];
    // A queue that begins to want places is not compensated for the time when it wanted none.
    const bool comes = (wants || started > 0) && !queue.wants;
    if (comes) queue.tag = std::max(queue.tag, virtual_time_);
    if (started > 0) {
      loops_[loop].served = ++servings_;
      queue.tag += queue.stride * started;
      virtual_time_ = std::max(virtual_time_, queue.tag - queue.stride);
    }
    loops_[loop].wants = wants;
    queue.wants = std::any_of(loops_.begin(), loops_.end(), [&](const Loop& other) {
      return other.wants && other.queue == loops_[loop].queue;
    });
    waking = to_wake();
  }
  // Outside the lock: the loops that are woken call offer() at once.
  for (const std::size_t other : waking) loops_[other].wake();
}

// The loops that would be offered a place now. Includes the one that has just settled, if a place
// has become free since it was offered none.
std::vector<std::size_t> Places::to_wake() const {
  std::vector<std::size_t> found;
  const bool any = std::any_of(loops_.begin(), loops_.end(), std::mem_fn(&Loop::wants));
  if (free() == 0 || !any) return found;
  Trial trying = trial();
  for (int left = std::min(free(), kMaxPickedPerOffer); left > 0; --left) {
    const auto picked = pick(trying, std::nullopt);
    if (!picked) break;
    if (trying.taken[*picked] == 0) found.push_back(*picked);
    take(trying, *picked);
  }
  return found;
}

}  // namespace penstock
