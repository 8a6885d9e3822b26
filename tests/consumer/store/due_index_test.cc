// The index against a model: every row in a sorted set.
#include "consumer/store/due_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct Driven {
  MemoryStore store;
  View view{store};
  DueIndex index{view, keys::kDue};
  std::set<std::pair<std::int64_t, std::int64_t>> model;
  std::uint64_t seq = 0;

  void add(std::int64_t at, std::int64_t number) {
    if (!model.insert({at, number}).second) return;
    view.put(keys::due(time_from_ms(at), JobSeq{number}), "");
    index.added(time_from_ms(at), JobSeq{number});
  }
  void remove(std::pair<std::int64_t, std::int64_t> which) {
    model.erase(which);
    view.erase(keys::due(time_from_ms(which.first), JobSeq{which.second}));
    index.removed(time_from_ms(which.first), JobSeq{which.second});
  }
  // All up to the n-th.
  void remove_first(std::size_t n) {
    if (n == 0 || n > model.size()) return;
    const auto last = *std::next(model.begin(), static_cast<std::ptrdiff_t>(n) - 1);
    while (!model.empty() && *model.begin() <= last) {
      view.erase(keys::due(time_from_ms(model.begin()->first), JobSeq{model.begin()->second}));
      model.erase(model.begin());
    }
    index.removed_up_to({time_from_ms(last.first), JobSeq{last.second}});
  }
  void commit() {
    const std::string rows(view.batch().bytes());
    view.sent(++seq);
    RC_ASSERT(store.apply(rows, {Offset{1}, Offset{0}, seq, 0, false}).has_value());
    view.applied(seq);
  }
  void check(std::int64_t now) {
    const auto first = index.first_due(time_from_ms(now));
    const bool due = !model.empty() && model.begin()->first <= now;
    RC_ASSERT(first.has_value() == due);
    if (due) RC_ASSERT(std::pair(to_ms(first->at), first->seq.value) == *model.begin());
    const auto next = index.next();
    RC_ASSERT(next.has_value() == !model.empty());
    if (next) RC_ASSERT(to_ms(*next) == model.begin()->first);
  }
};

RC_GTEST_PROP(DueIndex, AlwaysKnowsTheNextOfAllRows, ()) {
  Driven run;
  run.index.reset();
  for (int left = *rc::gen::inRange(0, 80); left > 0; --left) {
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        if (!run.model.empty())
          run.remove(*std::next(
              run.model.begin(),
              *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(run.model.size()))));
        break;
      case 1:
        run.commit();
        break;
      case 2:
        run.index.reset();
        break;
      case 3:
        run.remove_first(*rc::gen::inRange<std::size_t>(0, 10));
        break;
      default:
        run.add(*rc::gen::inRange(0, 50), *rc::gen::inRange(0, 50));
    }
    run.check(*rc::gen::inRange(0, 60));
  }
}

// More rows than its window, so that its horizon moves.
TEST(DueIndex, KnowsTheNextAlsoBeyondItsWindow) {
  Driven run;
  run.index.reset();
  constexpr auto kMany = static_cast<std::int64_t>(DueIndex::kWindow) * 3;
  for (std::int64_t i = 0; i < kMany; ++i) run.add((i * 7919) % kMany, i);
  run.commit();
  for (std::int64_t removed = 0; !run.model.empty(); ++removed) {
    if (removed % 3 == 0 && removed < 6000) run.add(removed + 5, kMany + removed);
    if (removed == 4000) run.index.reset();
    run.check(kMany * 2);
    run.remove(*run.model.begin());
  }
  EXPECT_FALSE(run.index.next().has_value());
}

TEST(DueIndex, KnowsTheNextBehindManyThatWereRemovedTogether) {
  Driven run;
  run.index.reset();
  constexpr auto kMany = static_cast<std::int64_t>(DueIndex::kWindow) * 5;
  for (std::int64_t i = 0; i < kMany; ++i) run.add(i / 3, i);
  run.commit();
  run.index.reset();
  for (std::size_t step = 1; !run.model.empty(); step = step * 5 % 701) {
    run.check(kMany);
    run.remove_first(std::min(step, run.model.size()));
    if (step % 3 == 0) run.add(0, kMany + static_cast<std::int64_t>(step));
  }
  EXPECT_FALSE(run.index.next().has_value());
}

// Each time it drops what is far away, the set of the nearest is cut at another place of its nodes.
TEST(DueIndex, ForgetsNoneHoweverItsWindowIsCut) {
  for (std::int64_t step : {7919, 4093, 104729, 31, 1}) {
    Driven run;
    run.index.reset();
    constexpr auto kMany = static_cast<std::int64_t>(DueIndex::kWindow) * 40;
    for (std::int64_t i = 0; i < kMany; ++i) run.add(i * step % 60'000, i);
    run.check(60'000);
    for (std::size_t n = 1; !run.model.empty(); n = n * 3 % 997) {
      run.remove_first(std::min(n, run.model.size()));
      run.check(60'000);
    }
  }
}

TEST(DueIndex, WhatIsAddedBeforeEverythingComesFirst) {
  Driven run;
  run.index.reset();
  for (std::int64_t i = 0; i < 10'000; ++i) run.add(1000 + i, i);
  run.add(5, 20'000);
  run.check(5);
  EXPECT_FALSE(run.index.first_due(time_from_ms(4)).has_value());
}

TEST(DueIndex, KeepsToItsOwnKind) {
  MemoryStore store;
  View view(store);
  view.put(keys::due(time_from_ms(1), JobSeq{1}), "");
  view.put(keys::expiry(time_from_ms(2), JobSeq{2}), "");
  DueIndex expiries(view, keys::kExpiry);
  expiries.reset();
  EXPECT_EQ(expiries.next(), time_from_ms(2));
  expiries.removed(time_from_ms(2), JobSeq{2});
  EXPECT_FALSE(expiries.next().has_value());
}

}  // namespace
}  // namespace penstock
