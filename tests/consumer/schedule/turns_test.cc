#include "consumer/schedule/lines/turns.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "state/store/memory_store.h"

namespace penstock {
namespace {

constexpr int kFlows = 4, kShares = 4;

// What is served, by name: account and bulk.
using Served = std::optional<std::pair<int, int>>;

// Accounts and bulks that have jobs or have none, without any job.
struct Stage {
  MemoryStore store;
  View view{store};
  LiveJobPool pool;
  Turns turns;
  Lines lines;
  int weights[kFlows][kShares] = {};
  int flow_weights[kFlows] = {};
  bool room[kFlows] = {};
  LiveJob* jobs[kFlows][kShares] = {};  // that run

  explicit Stage(Lines::Sharing sharing)
      : turns(sharing), lines(view, pool, sharing, &turns.clock()) {}

  static std::string account(int flow) { return std::string(1, static_cast<char>('a' + flow)); }
  static std::string bulk(int share) { return std::string(1, static_cast<char>('A' + share)); }

  Flow& flow(int number) {
    Flow& made = lines.make(account(number));
    made.fair.weight = flow_weights[number];
    return made;
  }
  Line& line(int number, int share) {
    Line& made = Lines::make(flow(number), "t" + std::string(1, '\0') + bulk(share));
    made.share->fair.weight = weights[number][share];
    return made;
  }
  void settle(int number) { turns.settle(flow(number), room[number]); }
  void set(int number, int share, bool jobs) {
    Line& at = line(number, share);
    at.more = jobs;
    turns.settle(*at.share);
    settle(number);
  }
  void set_room(int number, bool has) {
    room[number] = has;
    settle(number);
  }
  void set_runs(int number, int share, bool runs) {
    Share& at = *line(number, share).share;
    LiveJob*& job = jobs[number][share];
    if (runs == (job != nullptr)) return;
    if (runs) {
      at.flow->running.push_back(job = pool.take());
      ++at.running;
    } else {
      at.flow->running.remove(job);
      --at.running;
      pool.give_back(job);
      job = nullptr;
    }
    turns.settle(at);
    settle(number);
  }
  void fill() {
    for (int f = 0; f < kFlows; ++f) {
      set_room(f, true);
      for (int s = 0; s < kShares; ++s) set(f, s, true);
    }
  }
  // Those served have more.
  Served pick() {
    const Turns::Turn turn = turns.pick();
    if (!turn.flow) return std::nullopt;
    const int number = turn.flow->account[0] - 'a';
    turns.settle(*turn.share);
    settle(number);
    return std::pair(number, turn.share->name[0] - 'A');
  }
};

// The rules of the design, served by looking at everything.
struct Tag {
  std::int64_t tag = 0;
  std::uint64_t arrival = 0;
  int weight = 1;
  bool ready = false, known = false, busy = false;

  [[nodiscard]] std::int64_t least(std::int64_t time) const {
    return time - FairQueue::kScale + FairQueue::kScale / weight;
  }
  void activate(std::int64_t time, std::uint64_t now) {
    if (ready) return;
    tag = known ? std::max(tag, busy ? least(time) : time) : time + FairQueue::kScale / weight;
    known = ready = true;
    busy = false;
    arrival = now;
  }
  void charge() {
    tag += FairQueue::kScale / weight;
    busy = true;
  }
  void advance(std::int64_t time) {
    const std::int64_t own = FairQueue::kScale / weight;
    tag = std::max(tag, std::min(tag + own, time + 2 * own));
    busy = true;
  }
};

struct ModelFlow {
  Tag own;
  std::map<int, Tag> shares;
  std::map<int, bool> jobs, runs;
  bool room = false;
  std::int64_t time = 0, floor = 0;
  std::uint64_t arrivals = 0, picks = 0;

  [[nodiscard]] bool any() const {
    return std::any_of(shares.begin(), shares.end(),
                       [](const auto& at) { return at.second.ready; });
  }
  [[nodiscard]] bool any_runs() const {
    return std::any_of(runs.begin(), runs.end(), [](const auto& at) { return at.second; });
  }
};

class ByAccount {
 public:
  explicit ByAccount(const Stage& stage) : stage_(stage) {}

  void set(int f, int s, bool jobs) {
    ModelFlow& flow = flows_[f];
    Tag& share = flow.shares[s];
    share.weight = stage_.weights[f][s];
    flow.jobs[s] = jobs;
    if (jobs) {
      if (!share.ready) share.activate(flow.time, ++flow.arrivals);
    } else {
      share.ready = false;
      share.busy = flow.runs[s];
    }
    settle(f);
  }
  void set_runs(int f, int s, bool runs) {
    ModelFlow& flow = flows_[f];
    flow.runs[s] = runs;
    Tag& share = flow.shares[s];
    if (!share.ready) share.busy = runs;
    settle(f);
  }
  void set_room(int f, bool room) {
    flows_[f].room = room;
    settle(f);
  }
  Served pick() {
    const bool aged = (picks_ + 1) % FairQueue::kAgingEvery == 0;
    int best = -1;
    for (auto& [f, flow] : flows_) {
      if (flow.own.ready && (best < 0 || before(flow.own, flows_[best].own, aged))) best = f;
    }
    if (best < 0) return std::nullopt;
    ++picks_;
    ModelFlow& flow = flows_[best];
    if (aged) {
      flow.own.advance(time_);
    } else {
      time_ = std::max(time_, flow.own.tag);
      flow.own.charge();
    }
    flow.own.ready = false;
    const bool aged_share = ++flow.picks % FairQueue::kAgingEvery == 0;
    int served = -1;
    for (auto& [s, share] : flow.shares) {
      if (share.ready && (served < 0 || before(share, flow.shares[served], aged_share))) served = s;
    }
    Tag& share = flow.shares[served];
    if (aged_share) {
      share.advance(flow.time);
    } else {
      flow.time = std::max(flow.time, share.tag);
      share.charge();
    }
    share.ready = false;
    share.activate(flow.time, ++flow.arrivals);
    settle(best);
    return std::pair(best, served);
  }

 private:
  static bool before(const Tag& a, const Tag& b, bool aged) {
    return aged || a.tag == b.tag ? a.arrival < b.arrival : a.tag < b.tag;
  }
  void settle(int f) {
    ModelFlow& flow = flows_[f];
    flow.own.weight = stage_.flow_weights[f];
    if (!flow.room || !flow.any()) {
      flow.own.ready = false;
      flow.own.busy = flow.any() || flow.any_runs();
    } else if (!flow.own.ready) {
      flow.own.activate(time_, ++arrivals_);
    }
  }

  const Stage& stage_;
  std::map<int, ModelFlow> flows_;
  std::int64_t time_ = 0;
  std::uint64_t arrivals_ = 0, picks_ = 0;
};

class Flat {
 public:
  explicit Flat(const Stage& stage) : stage_(stage) {}

  void set(int f, int s, bool jobs) {
    Tag& share = flows_[f].shares[s];
    share.weight = stage_.weights[f][s];
    if (!jobs) {
      share.ready = false;
      share.busy = flows_[f].runs[s];
    } else if (!share.ready) {
      share.activate(time_, ++arrivals_);
    }
  }
  void set_runs(int f, int s, bool runs) {
    flows_[f].runs[s] = runs;
    Tag& share = flows_[f].shares[s];
    if (!share.ready) share.busy = runs;
  }
  void set_room(int f, bool room) {
    if (room && !flows_[f].room) flows_[f].floor = time_;
    flows_[f].room = room;
  }
  Served pick() {
    const bool aged = (picks_ + 1) % FairQueue::kAgingEvery == 0;
    Served best;
    for (auto& [f, flow] : flows_) {
      if (!flow.room) continue;
      int own =
          -1;  // the account's best by its own tags; the account competes by no less than its floor
      for (auto& [s, share] : flow.shares) {
        if (!share.ready) continue;
        const Tag* const other = own < 0 ? nullptr : &flow.shares[own];
        const bool less =
            !other || (aged || share.tag == other->tag ? share.arrival < other->arrival
                                                       : share.tag < other->tag);
        if (less) own = s;
      }
      if (own >= 0 && (!best || less({f, own}, *best, aged))) best = std::pair(f, own);
    }
    if (!best) return std::nullopt;
    ++picks_;
    Tag& share = flows_[best->first].shares[best->second];
    if (aged) {
      share.advance(time_);
    } else {
      share.tag = tag_of(*best);
      time_ = std::max(time_, share.tag);
      share.charge();
    }
    share.ready = false;
    share.activate(time_, ++arrivals_);
    return best;
  }

 private:
  std::int64_t tag_of(std::pair<int, int> at) {
    const Tag& share = flows_[at.first].shares[at.second];
    return std::max(share.tag, share.least(flows_[at.first].floor));
  }
  bool less(std::pair<int, int> a, std::pair<int, int> b, bool aged) {
    const Tag& left = flows_[a.first].shares[a.second];
    const Tag& right = flows_[b.first].shares[b.second];
    const auto by_tag = tag_of(a), other = tag_of(b);
    return aged || by_tag == other ? left.arrival < right.arrival : by_tag < other;
  }

  const Stage& stage_;
  std::map<int, ModelFlow> flows_;
  std::int64_t time_ = 0;
  std::uint64_t arrivals_ = 0, picks_ = 0;
};

void choose_weights(Stage& stage) {
  for (int f = 0; f < kFlows; ++f) {
    stage.flow_weights[f] = *rc::gen::element(1, 2, 3, 7, 100);
    for (int s = 0; s < kShares; ++s) stage.weights[f][s] = *rc::gen::element(1, 2, 3, 13, 100);
  }
}

template <typename Model>
void hold_against(Stage& stage) {
  choose_weights(stage);
  Model model(stage);
  for (int left = *rc::gen::inRange(0, 400); left > 0; --left) {
    const int f = *rc::gen::inRange(0, kFlows);
    const int s = *rc::gen::inRange(0, kShares);
    switch (*rc::gen::inRange(0, 9)) {
      case 0:
        stage.set(f, s, false);
        model.set(f, s, false);
        break;
      case 1: {
        const bool room = *rc::gen::arbitrary<bool>();
        stage.set_room(f, room);
        model.set_room(f, room);
        break;
      }
      case 2:
        stage.set_room(f, true);
        model.set_room(f, true);
        break;
      case 3: {
        const bool runs = *rc::gen::arbitrary<bool>();
        stage.set_runs(f, s, runs);
        model.set_runs(f, s, runs);
        break;
      }
      case 4:
      case 5:
        stage.set(f, s, true);
        model.set(f, s, true);
        break;
      default:
        RC_ASSERT(stage.pick() == model.pick());
    }
  }
}

RC_GTEST_PROP(Turns, ByAccountPicksWhatABruteForceModelPicks, ()) {
  Stage stage(Lines::Sharing::kWithinAccounts);
  hold_against<ByAccount>(stage);
}

RC_GTEST_PROP(Turns, FlatPicksWhatABruteForceModelPicks, ()) {
  Stage stage(Lines::Sharing::kByOneClock);
  hold_against<Flat>(stage);
}

// Between two services of a bulk its account is served at most sum (floor(w_j / w_i) + 1) times for
// the account's other bulks, and between two of those the other accounts likewise (twice w_j where
// the first came by age); each aging pick may add one.
RC_GTEST_PROP(Turns, ByAccountTheGapBetweenTwoServicesOfABulkIsBounded, ()) {
  Stage stage(Lines::Sharing::kWithinAccounts);
  choose_weights(stage);
  stage.fill();
  bool kept = true;
  std::map<std::pair<int, int>, int> last_of_bulk;  // in services of its account
  std::map<int, int> last_of_account, services;
  std::map<std::pair<int, int>, bool> bulk_by_age;
  std::map<int, bool> by_age;
  for (int pick = 1; pick <= 600; ++pick) {
    const auto [f, s] = *stage.pick();
    ++services[f];
    int bound = 0, bulk_bound = 0;
    for (int j = 0; j < kFlows; ++j) {
      if (j != f) bound += (by_age[f] ? 2 : 1) * stage.flow_weights[j] / stage.flow_weights[f] + 1;
    }
    for (int j = 0; j < kShares; ++j) {
      if (j != s)
        bulk_bound += (bulk_by_age[{f, s}] ? 2 : 1) * stage.weights[f][j] / stage.weights[f][s] + 1;
    }
    if (last_of_account.contains(f)) {
      const int gap = pick - last_of_account[f] - 1;
      kept = kept && gap <= bound + gap / 10 + 1;
    }
    if (last_of_bulk.contains({f, s})) {
      const int gap = services[f] - last_of_bulk[{f, s}] - 1;
      kept = kept && gap <= bulk_bound + gap / 10 + 1;
    }
    by_age[f] = pick % 10 == 0;
    bulk_by_age[{f, s}] = services[f] % 10 == 0;
    last_of_account[f] = pick;
    last_of_bulk[{f, s}] = services[f];
  }
  RC_ASSERT(kept);
}

RC_GTEST_PROP(Turns, FlatTheGapBetweenTwoServicesOfABulkIsBounded, ()) {
  Stage stage(Lines::Sharing::kByOneClock);
  choose_weights(stage);
  stage.fill();
  bool kept = true;
  std::map<std::pair<int, int>, int> last;
  std::map<std::pair<int, int>, bool> by_age;
  for (int pick = 1; pick <= 600; ++pick) {
    const auto served = *stage.pick();
    const int weight = stage.weights[served.first][served.second];
    const int turns = by_age[served] ? 2 : 1;
    int bound = -(turns + 1);
    for (const auto& flow : stage.weights) {
      for (const int other : flow) bound += turns * other / weight + 1;
    }
    if (last.contains(served)) {
      const int gap = pick - last[served] - 1;
      kept = kept && gap <= bound + gap / 10 + 1;
    }
    by_age[served] = pick % 10 == 0;
    last[served] = pick;
  }
  RC_ASSERT(kept);
}

TEST(Turns, TheBoundHoldsForEveryPairOfWeights) {
  for (int i = 1; i <= 100; ++i) {
    for (int j = 1; j <= 100; ++j) {
      EXPECT_LE((FairQueue::kScale / i) / (FairQueue::kScale / j), j / i) << i << " " << j;
    }
    const double error = 1 - static_cast<double>(FairQueue::kScale / i) * i / FairQueue::kScale;
    EXPECT_LT(error, 0.00014) << i;
  }
}

// Newcomers of the greatest weight arrive faster than anybody is served; an old bulk is served with
// every tenth pick at the latest, once those before it are.
TEST(Turns, EveryTenthPickServesTheBulkThatHasWaitedLongest) {
  for (const auto sharing : {Lines::Sharing::kWithinAccounts, Lines::Sharing::kByOneClock}) {
    Stage stage(sharing);
    std::fill_n(stage.flow_weights, kFlows, 1);
    for (auto& flow : stage.weights) std::fill_n(flow, kShares, 1);
    stage.set_room(0, true);
    stage.set(0, 0, true);
    stage.line(0, 0).share->fair.tag = stage.flow(0).fair.tag = 1'000'000'000;
    stage.set(0, 0, false);
    stage.set(0, 0, true);
    int newcomers = 0, served = 0;
    for (int pick = 1; pick <= 30; ++pick) {
      for (int i = 0; i < 2; ++i) {
        Flow& flow = stage.lines.make("newcomer" + std::to_string(++newcomers));
        Line& line = Lines::make(flow, "t" + std::string(1, '\0') + "N");
        flow.fair.weight = line.share->fair.weight = 100;
        line.more = true;
        stage.turns.settle(*line.share);
        stage.turns.settle(flow, true);
      }
      const Turns::Turn turn = stage.turns.pick();
      served += turn.flow->account == "a" ? 1 : 0;
    }
    EXPECT_GE(served, 1);
  }
}

TEST(Turns, FlatAnAccountThatWasFullGetsNoBurst) {
  Stage stage(Lines::Sharing::kByOneClock);
  std::fill_n(stage.flow_weights, kFlows, 1);
  for (auto& flow : stage.weights) std::fill_n(flow, kShares, 1);
  for (const int f : {0, 1}) {
    stage.set_room(f, true);
    stage.set(f, 0, true);
  }
  stage.set_room(0, false);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stage.pick()->first, 1);
  stage.set_room(0, true);
  int first = 0;
  for (int i = 0; i < 10; ++i) first += stage.pick()->first == 0 ? 1 : 0;
  EXPECT_LE(first, 6);
}

TEST(Turns, WhoComesBeforeIsCounted) {
  for (const auto sharing : {Lines::Sharing::kWithinAccounts, Lines::Sharing::kByOneClock}) {
    Stage stage(sharing);
    std::fill_n(stage.flow_weights, kFlows, 1);
    for (auto& flow : stage.weights) std::fill_n(flow, kShares, 1);
    stage.fill();
    EXPECT_EQ(stage.turns.flows_before(stage.flow(0)), 0u);
    EXPECT_EQ(stage.turns.flows_before(stage.flow(3)), 3u);
    EXPECT_EQ(stage.turns.next_flow(), &stage.flow(0));
    EXPECT_EQ(Turns::shares_before(*stage.line(2, 3).share), 3u);
  }
}

}  // namespace
}  // namespace penstock
