#include "tests/simulation/checks/flow/pool_checks.h"

#include <algorithm>
#include <string>

namespace penstock::simulation {
namespace {

constexpr int kSteps = 400;
constexpr std::uint64_t kMaxPlaces = 8, kMaxQueues = 3, kMaxLoops = 2, kMaxQueueWeight = 5,
                        kMaxArriving = 30;

std::string of(std::size_t queue) { return "queue " + std::to_string(queue); }

}  // namespace

PoolChecks::PoolChecks(std::uint64_t seed, Rules& rules)
    : rules_(rules),
      random_(seed * 271 + 9),
      places_count_(1 + static_cast<int>(random_.below(kMaxPlaces))),
      strict_(random_.chance(0.3)),
      places_(places_count_, strict_) {
  const std::size_t queues = 1 + random_.below(kMaxQueues);
  for (std::size_t i = 0; i < queues; ++i) {
    Queue& queue = queues_.emplace_back();
    queue.weight = 1 + static_cast<int>(random_.below(kMaxQueueWeight));
    queue.most = places_count_;
    std::optional<int> most;
    if (random_.chance(0.2)) {
      most = queue.most = 1 + static_cast<int>(random_.below(kMaxPlaces));
      queue.bounded = *most < places_count_;
    }
    const std::size_t number = places_.add_queue(queue.weight, most);
    for (std::size_t left = 1 + random_.below(kMaxLoops); left > 0; --left) {
      Loop& loop = loops_.emplace_back();
      loop.queue = i;
      loop.number = places_.add_loop(number, [&loop] { loop.woken = true; });
    }
  }
}

void PoolChecks::run() {
  for (int i = 0; i < kSteps && !rules_.broken; ++i) step();
}

// Most often there is more to do than there are places.
void PoolChecks::step() {
  const std::uint64_t chance = random_.below(100);
  if (chance < 8) {
    arrive(any());
  } else if (chance < 75) {
    end_one(any());
  } else if (chance < 85) {
    turn(any());
  } else {  // two at the same time
    Loop &one = any(), &other = any();
    for (Loop* const loop : {&one, &other}) {
      if (random_.chance(0.3)) loop->waiting += 1 + static_cast<int>(random_.below(3));
    }
    offer(one);
    if (&one != &other) offer(other);
    settle(one);
    if (&one != &other) settle(other);
  }
  until_all_sleep();
  check_used();
  check_shares();
}

void PoolChecks::arrive(Loop& loop) {
  loop.waiting += 1 + static_cast<int>(random_.below(kMaxArriving));
  turn(loop);
}

void PoolChecks::end_one(Loop& loop) {
  if (loop.running == 0) return;
  --loop.running;
  --queues_[loop.queue].held;
  turn(loop);
}

void PoolChecks::turn(Loop& loop) {
  offer(loop);
  settle(loop);
}

void PoolChecks::offer(Loop& loop) {
  const int free = places_count_ - held();
  loop.woken = false;
  loop.offered = places_.offer(loop.number, loop.running);
  if (strict_) check_strict(loop, free);
  queues_[loop.queue].held += loop.offered;
  check_held();
}

void PoolChecks::settle(Loop& loop) {
  Queue& queue = queues_[loop.queue];
  const int started = std::min(loop.offered, loop.waiting);
  queue.held += started - loop.offered;
  queue.starts += started;
  loop.waiting -= started;
  loop.running += started;
  loop.told = started == loop.offered && loop.waiting > 0;
  loop.offered = 0;
  places_.settle(loop.number, loop.running, started, loop.told);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    queues_[i].always_waits = queues_[i].always_waits && waits(i);
  }
}

void PoolChecks::until_all_sleep() {
  for (int left = 1000; left > 0; --left) {
    std::vector<Loop*> woken;
    for (Loop& loop : loops_) {
      if (loop.woken) woken.push_back(&loop);
    }
    if (woken.empty()) return;
    turn(*woken[random_.below(woken.size())]);
  }
  rules_.check(Rule::kPlacesUsed, false, [] { return "loops wake each other without end"; });
}

int PoolChecks::held() const {
  int held = 0;
  for (const Queue& queue : queues_) held += queue.held;
  return held;
}

bool PoolChecks::waits(std::size_t queue) const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [&](const Loop& loop) { return loop.queue == queue && loop.told; });
}

void PoolChecks::check_held() {
  rules_.check(Rule::kPlaces, held() <= places_count_, [&] {
    return std::to_string(held()) + " of " + std::to_string(places_count_) + " places are held";
  });
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    rules_.check(Rule::kPlaces, queues_[i].held <= queues_[i].most, [&] {
      return of(i) + " has " + std::to_string(queues_[i].held) + " places, at most " +
             std::to_string(queues_[i].most) + " are its own";
    });
  }
}

// What those before it have said that they want, and may have, is left for them.
void PoolChecks::check_strict(const Loop& loop, int free) {
  int wanted = 0;
  for (std::size_t i = 0; i < loop.queue; ++i) {
    if (waits(i)) wanted += queues_[i].most - queues_[i].held;
  }
  rules_.check(Rule::kPoolStrict, loop.offered <= std::max(0, free - wanted), [&] {
    return of(loop.queue) + " is offered " + std::to_string(loop.offered) + " of " +
           std::to_string(free) + " free places, though " + std::to_string(wanted) +
           " are wanted before it";
  });
}

void PoolChecks::check_used() {
  const int free = places_count_ - held();
  for (const Loop& loop : loops_) {
    const Queue& queue = queues_[loop.queue];
    rules_.check(Rule::kPlacesUsed, loop.waiting == 0 || free == 0 || queue.held == queue.most,
                 [&] {
                   return std::to_string(free) + " places are free, and a loop of " +
                          of(loop.queue) + " sleeps, though it has jobs";
                 });
  }
}

// By how much one of two queues that wait is ahead of the other changes by no more than two turns
// of the one with the lesser weight, however long they wait.
void PoolChecks::check_shares() {
  if (strict_) return;
  for (std::size_t a = 0; a < queues_.size(); ++a) {
    for (std::size_t b = a + 1; b < queues_.size(); ++b) {
      const Queue &one = queues_[a], &other = queues_[b];
      const double ahead = static_cast<double>(one.starts) / one.weight -
                           static_cast<double>(other.starts) / other.weight;
      const bool both = one.always_waits && other.always_waits && !one.bounded && !other.bounded;
      const auto [at, fresh] = ahead_.try_emplace({a, b}, Ahead{ahead, ahead});
      if (!both) at->second = {ahead, ahead};
      at->second.least = std::min(at->second.least, ahead);
      at->second.most = std::max(at->second.most, ahead);
      const double bound = 2.0 / std::min(one.weight, other.weight) + 0.001;
      rules_.check(Rule::kPoolShares, at->second.most - at->second.least <= bound, [&] {
        return of(a) + " of weight " + std::to_string(one.weight) + " and " + of(b) +
               " of weight " + std::to_string(other.weight) +
               " both wait, and one comes ahead of the other by " +
               std::to_string(at->second.most - at->second.least) + " starts for its weight";
      });
    }
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) queues_[i].always_waits = waits(i);
}

}  // namespace penstock::simulation
