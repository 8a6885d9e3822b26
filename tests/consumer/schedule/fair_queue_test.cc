#include "consumer/schedule/lines/fair_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

namespace penstock {
namespace {

// Serves one flow and puts it back while it has jobs; the index of the flow.
int serve(FairQueue& queue, std::deque<FairTag>& flows) {
  FairTag* const flow = queue.pick();
  RC_ASSERT(flow != nullptr);
  int index = 0;
  while (&flows[static_cast<std::size_t>(index)] != flow) ++index;
  queue.activate(*flow);
  return index;
}

std::deque<FairTag> flows_of(const std::vector<int>& weights) {
  std::deque<FairTag> flows;
  for (const int weight : weights) flows.push_back({.weight = weight});
  return flows;
}

// The rules of the design, served by looking at everything: what the queue must do.
class Model {
 public:
  void activate(int id, int weight) {
    Flow& flow = flows_[id];
    if (flow.ready) return;
    flow.weight = weight;
    const std::int64_t own = FairQueue::kScale / weight;
    const std::int64_t least = flow.busy ? time_ - FairQueue::kScale + own : time_;
    flow.tag = flow.known ? std::max(flow.tag, least) : time_ + own;
    flow.known = flow.ready = true;
    flow.busy = false;
    flow.arrival = ++arrivals_;
  }
  void remove(int id) { flows_[id].ready = flows_[id].busy = false; }
  void hold(int id) {
    flows_[id].ready = false;
    flows_[id].busy = true;
  }
  void forget(int id) { flows_.erase(id); }
  // -1: none is ready.
  int pick() {
    int best = -1;
    if (!any()) return best;
    const bool aged = ++picks_ % FairQueue::kAgingEvery == 0;
    for (const auto& [id, flow] : flows_) {
      if (flow.ready && (best < 0 || before(flow, flows_[best], aged))) best = id;
    }
    Flow& served = flows_[best];
    served.ready = false;
    served.busy = true;
    const std::int64_t own = FairQueue::kScale / served.weight;
    if (aged) {
      served.tag = std::max(served.tag, std::min(served.tag + own, time_ + 2 * own));
    } else {
      time_ = std::max(time_, served.tag);
      served.tag += own;
    }
    return best;
  }

 private:
  struct Flow {
    std::int64_t tag = 0;
    std::uint64_t arrival = 0;
    int weight = 1;
    bool ready = false, known = false, busy = false;
  };
  [[nodiscard]] bool any() const {
    return std::any_of(flows_.begin(), flows_.end(),
                       [](const auto& flow) { return flow.second.ready; });
  }
  static bool before(const Flow& a, const Flow& b, bool aged) {
    if (aged || a.tag == b.tag) return a.arrival < b.arrival;
    return a.tag < b.tag;
  }

  std::map<int, Flow> flows_;
  std::int64_t time_ = 0;
  std::uint64_t arrivals_ = 0, picks_ = 0;
};

RC_GTEST_PROP(FairQueue, PicksWhatABruteForceModelPicks, ()) {
  std::deque<FairTag> flows(8);
  for (FairTag& flow : flows) flow.weight = *rc::gen::element(1, 2, 3, 4, 12);
  FairQueue queue;
  Model model;
  for (int left = *rc::gen::inRange(0, 300); left > 0; --left) {
    const int id = *rc::gen::inRange(0, 8);
    FairTag& flow = flows[static_cast<std::size_t>(id)];
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        queue.remove(flow);
        model.remove(id);
        break;
      case 1:  // it is emptied and forgotten
        queue.remove(flow);
        flow = {.weight = flow.weight};
        model.forget(id);
        break;
      case 2:
        queue.hold(flow);
        model.hold(id);
        break;
      case 3:
      case 4: {
        const FairTag* const picked = queue.pick();
        const int expected = model.pick();
        RC_ASSERT((picked == nullptr) == (expected < 0));
        if (picked) RC_ASSERT(picked == &flows[static_cast<std::size_t>(expected)]);
        break;
      }
      default:
        queue.activate(flow);
        model.activate(id, flow.weight);
    }
  }
}

// Between two services of flow i that stays ready the others are served at most
// sum (floor(w_j / w_i) + 1) times, or twice w_j where the first came by age; each aging pick may
// add one.
RC_GTEST_PROP(FairQueue, TheGapBetweenTwoServicesIsBounded, ()) {
  const auto weights =
      *rc::gen::suchThat(rc::gen::container<std::vector<int>>(rc::gen::element(1, 2, 3, 4, 6, 12)),
                         [](const auto& all) { return !all.empty() && all.size() <= 20; });
  std::deque<FairTag> flows = flows_of(weights);
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  std::vector<int> last(weights.size(), -1), aged(weights.size(), 0), turns(weights.size(), 1);
  for (int pick = 1; pick <= 600; ++pick) {
    const int served = serve(queue, flows);
    for (std::size_t i = 0; i < weights.size(); ++i) aged[i] += pick % 10 == 0 ? 1 : 0;
    const auto i = static_cast<std::size_t>(served);
    int bound = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (j != i) bound += turns[i] * weights[j] / weights[i] + 1;
    }
    turns[i] = pick % 10 == 0 ? 2 : 1;
    if (last[i] >= 0) RC_ASSERT(pick - last[i] - 1 <= bound + aged[i]);
    last[i] = pick;
    aged[i] = 0;
  }
}

TEST(FairQueue, EqualFlowsTakeTurns) {
  std::deque<FairTag> flows(3);
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  std::vector<int> order;
  for (int i = 0; i < 9; ++i) order.push_back(serve(queue, flows));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(FairQueue, SharesFollowTheWeights) {
  std::deque<FairTag> flows = flows_of({1, 2, 4});
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  std::vector<int> served(3);
  for (int i = 0; i < 7000; ++i) ++served[static_cast<std::size_t>(serve(queue, flows))];
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_NEAR(served[i], 1000 << i, 10);
  EXPECT_EQ(std::accumulate(served.begin(), served.end(), 0), 7000);
}

// What flow 0 gets of `picks`, where so many attempts run at once and each flow has one of them at
// most; the one that began first ends first.
double share_of_first(const std::vector<int>& weights, std::size_t places, int picks = 20'000) {
  std::deque<FairTag> flows = flows_of(weights);
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  std::deque<FairTag*> running;
  int first = 0;
  for (int i = 0; i < picks; ++i) {
    if (running.size() == std::min(places, flows.size())) {
      queue.activate(*running.front());
      running.pop_front();
    }
    FairTag* const flow = queue.pick();
    first += flow == &flows[0] ? 1 : 0;
    queue.hold(*flow);
    running.push_back(flow);
  }
  return static_cast<double>(first) / picks;
}

// It can have no more than one of the places, and what aging leaves.
TEST(FairQueue, AWeightIsTheShareHoweverManyRunAtOnce) {
  for (const int weight : {2, 3, 10, 100}) {
    for (const std::size_t others : {5u, 30u, 100u}) {
      for (const std::size_t places : {1u, 2u, 4u, 10u}) {
        if (places > others) continue;
        std::vector<int> weights(others + 1, 1);
        weights[0] = weight;
        const double ideal =
            std::min({static_cast<double>(weight) / static_cast<double>(weight + others),
                      1.0 / static_cast<double>(places), 1.0 - 1.0 / FairQueue::kAgingEvery});
        const double share = share_of_first(weights, places);
        EXPECT_GE(share, 0.95 * ideal) << weight << " of " << others << " in " << places;
        EXPECT_LE(share, 1.05 * std::max(ideal, 1.0 / static_cast<double>(others + 1)));
      }
    }
  }
}

TEST(FairQueue, AFlowThatWasFullComesBackWithItsWeightsBurstAtMost) {
  std::deque<FairTag> flows = flows_of({4, 1});
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  queue.hold(flows[0]);
  for (int i = 0; i < 101; ++i) EXPECT_EQ(serve(queue, flows), 1);
  queue.activate(flows[0]);
  int before_the_other = 0;
  while (serve(queue, flows) == 0) ++before_the_other;
  EXPECT_LE(before_the_other, 4 - 1 + 4 + 1);
}

TEST(FairQueue, ABlockedFlowComesBackWithoutABurst) {
  std::deque<FairTag> flows(2);
  FairQueue queue;
  queue.activate(flows[0]);
  queue.activate(flows[1]);
  serve(queue, flows);
  queue.remove(flows[1]);
  for (int i = 0; i < 100; ++i) serve(queue, flows);
  queue.activate(flows[1]);
  std::vector<int> served(2);
  for (int i = 0; i < 10; ++i) ++served[static_cast<std::size_t>(serve(queue, flows))];
  EXPECT_LE(served[1], 6);
}

TEST(FairQueue, ABlockedFlowDoesNotLoseItsPlace) {
  std::deque<FairTag> flows(3);
  FairQueue queue;
  for (FairTag& flow : flows) queue.activate(flow);
  EXPECT_EQ(serve(queue, flows), 0);
  queue.remove(flows[1]);
  EXPECT_EQ(serve(queue, flows), 2);
  queue.activate(flows[1]);
  EXPECT_EQ(serve(queue, flows), 1);
}

TEST(FairQueue, EndlessNewcomersStarveNobody) {
  FairTag old{};
  FairQueue queue;
  queue.activate(old);
  EXPECT_EQ(queue.pick(), &old);
  queue.activate(old);
  std::deque<FairTag> newcomers;
  int served = 0;
  for (int i = 0; i < 200; ++i) {
    queue.activate(newcomers.emplace_back());
    queue.activate(newcomers.emplace_back());
    FairTag* const flow = queue.pick();
    if (flow != &old) continue;
    ++served;
    queue.activate(old);
  }
  EXPECT_GE(served, 1);
}

TEST(FairQueue, EveryTenthPickServesWhoHasWaitedLongest) {
  FairTag heavy{.tag = 1'000'000'000, .tagged = true};  // by its tag it would never be served
  std::deque<FairTag> others(2);
  FairQueue queue;
  queue.activate(heavy);
  for (FairTag& other : others) queue.activate(other);
  for (int pick = 1; pick <= 10; ++pick) {
    FairTag* const flow = queue.pick();
    EXPECT_EQ(flow == &heavy, pick == 10) << pick;
    queue.activate(*flow);
  }
}

TEST(FairQueue, AnEmptyQueuePicksNothing) {
  FairQueue queue;
  EXPECT_EQ(queue.pick(), nullptr);
  FairTag flow;
  queue.activate(flow);
  queue.remove(flow);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.pick(), nullptr);
}

}  // namespace
}  // namespace penstock
