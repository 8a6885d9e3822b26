// How queues of one process share its places: the product's Places, which stands in the worker's
// threads and not in the loop that is simulated, driven by as many queues and loops, jobs that come
// and end, and turns in any order as the seed says; and held against counts of its own that know
// nothing of virtual time: who has what, who waits, and how often each has started since both of
// two queues wait. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "consumer/worker/places.h"
#include "tests/simulation/rules.h"
#include "topics/simulated/world/random.h"

namespace penstock::simulation {

class PoolChecks {
 public:
  PoolChecks(std::uint64_t seed, Rules& rules);
  void run();

 private:
  struct Queue {
    int weight = 1, most = 0;
    bool bounded = false;  // by less than all places
    int held = 0;          // running, or offered
    int starts = 0;
    bool always_waits = true;  // since it was last looked at
  };
  struct Loop {
    std::size_t queue = 0, number = 0;
    int waiting = 0, running = 0, offered = 0;
    bool told = false;  // that it wants a place, when it settled last
    bool woken = false;
  };
  // Of two queues that wait: the least and the most by which the starts of one for its weight were
  // ahead of the other's.
  struct Ahead {
    double least = 0, most = 0;
  };

  void step();
  void arrive(Loop& loop);
  void end_one(Loop& loop);
  void turn(Loop& loop);
  void offer(Loop& loop);
  void settle(Loop& loop);
  void until_all_sleep();
  void check_held();
  void check_strict(const Loop& loop, int free);
  void check_used();
  void check_shares();
  [[nodiscard]] bool waits(std::size_t queue) const;
  [[nodiscard]] Loop& any() { return loops_[random_.below(loops_.size())]; }
  [[nodiscard]] int held() const;

  Rules& rules_;
  simulated::Random random_;
  const int places_count_;
  const bool strict_;
  Places places_;
  std::vector<Queue> queues_;
  std::deque<Loop> loops_;  // whose places stay
  std::map<std::pair<std::size_t, std::size_t>, Ahead> ahead_;
};

}  // namespace penstock::simulation
