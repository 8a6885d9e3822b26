// The view against a model: a plain map that takes every change at once.
#include "state/store/view.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "state/store/memory_store.h"

namespace penstock {
namespace {

using Rows = std::map<std::string, std::string>;

Rows scanned(View& view, const std::string& from, const std::string& to) {
  Rows rows;
  view.scan(from, to, [&](std::string_view key, std::string_view value) {
    const bool in_order = rows.empty() || rows.rbegin()->first < key;
    RC_ASSERT(in_order);
    rows.emplace(key, value);
    return true;
  });
  return rows;
}

// The view, the model, and the commits under way, driven by random steps.
struct Driven {
  MemoryStore store{{}, *rc::gen::inRange<std::size_t>(0, 4)};
  View view{store};
  Rows model;
  std::deque<std::string> in_flight;
  std::uint64_t sent = 0, applied = 0;

  static std::string key() { return std::string(1, *rc::gen::inRange('a', 'i')); }

  void change() {
    const std::string at = key();
    if (*rc::gen::inRange(0, 3) == 0) {
      view.erase(at);
      model.erase(at);
    } else {
      const std::string value = std::to_string(*rc::gen::inRange(0, 1000));
      view.put(at, value);
      model[at] = value;
    }
  }
  void send() {
    in_flight.emplace_back(view.batch().bytes());
    view.sent(++sent);
    RC_ASSERT(!view.dirty());
  }
  void apply() {
    if (in_flight.empty()) return;
    const std::int64_t at = static_cast<std::int64_t>(++applied);
    RC_ASSERT(
        store.apply(in_flight.front(), {Offset{at}, Offset{0}, applied, 0, false}).has_value());
    in_flight.pop_front();
    view.applied(applied);
  }
  void look() {
    const std::string at = key();
    std::string value;
    const auto expected = model.find(at);
    RC_ASSERT(view.get(at, &value) == (expected != model.end()));
    if (expected != model.end()) RC_ASSERT(value == expected->second);
    std::string from = key(), to = key();
    if (to < from) std::swap(from, to);
    RC_ASSERT(scanned(view, from, to) == Rows(model.lower_bound(from), model.lower_bound(to)));
    look_skipping(from, to);
  }
  // From each row to the first key that lies some letters behind it.
  void look_skipping(const std::string& from, const std::string& to) {
    const int step = *rc::gen::inRange(1, 4);
    const auto behind = [step](std::string_view key) {
      return std::string(1, static_cast<char>(key.front() + step));
    };
    Rows seen, expected;
    view.scan_skipping(from, to, [&](std::string_view key, std::string_view value) {
      seen.emplace(key, value);
      return std::optional(behind(key));
    });
    for (auto at = model.lower_bound(from); at != model.end() && at->first < to;
         at = model.lower_bound(behind(at->first))) {
      expected.insert(*at);
    }
    RC_ASSERT(seen == expected);
  }
  void step() {
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        return send();
      case 1:
        return apply();
      default:
        change();
    }
  }
};

RC_GTEST_PROP(View, ShowsEveryChangeAtOnceWhateverIsInFlight, ()) {
  Driven run;
  for (int left = *rc::gen::inRange(0, 60); left > 0; --left) {
    run.step();
    run.look();
  }
}

RC_GTEST_PROP(View, TheStoreEndsAsTheModelOnceEveryCommitCounts, ()) {
  Driven run;
  for (int left = *rc::gen::inRange(0, 60); left > 0; --left) run.step();
  run.send();
  while (!run.in_flight.empty()) run.apply();
  RC_ASSERT(run.store.settle().has_value());
  const auto& rows = run.store.contents().rows;
  RC_ASSERT(Rows(rows.begin(), rows.end()) == run.model);
  run.look();
}

TEST(View, AScanStopsWhenItIsTold) {
  MemoryStore store;
  View view(store);
  for (const char* key : {"a", "b", "c"}) view.put(key, "1");
  int seen = 0;
  view.scan("a", "z", [&](auto, auto) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

TEST(View, AScanThatSkipsStopsWhenItIsTold) {
  MemoryStore store;
  View view(store);
  for (const char* key : {"a", "b", "c"}) view.put(key, "1");
  int seen = 0;
  view.scan_skipping("a", "z", [&](auto, auto) -> std::optional<std::string> {
    if (++seen == 2) return std::nullopt;
    return "b";
  });
  EXPECT_EQ(seen, 2);
}

TEST(View, UnseenRowsAreInTheBatchAndNowhereElseUntilItCounts) {
  MemoryStore store;
  View view(store);
  view.put_unseen("x", "1");
  std::string value;
  EXPECT_FALSE(view.get("x", &value));
  const std::string batch(view.batch().bytes());
  view.sent(1);
  ASSERT_TRUE(store.apply(batch, {Offset{1}, Offset{0}, 1, 0, false}));
  view.applied(1);
  EXPECT_TRUE(view.get("x", &value));
  view.erase_range_unseen("a", "z");
  const std::string erased(view.batch().bytes());
  view.sent(2);
  ASSERT_TRUE(store.apply(erased, {Offset{2}, Offset{0}, 2, 0, false}));
  view.applied(2);
  EXPECT_FALSE(view.get("x", &value));
}

TEST(View, RowsThatLieOneAfterTheOtherAreErasedByOneOperationAndGoneAtOnce) {
  MemoryStore store;
  View view(store);
  for (const char* key : {"a", "b", "c", "d"}) view.put(key, "1");
  const std::string rows(view.batch().bytes());
  view.sent(1);
  ASSERT_TRUE(store.apply(rows, {Offset{1}, Offset{0}, 1, 0, false}));
  view.applied(1);
  view.put("bb", "1");  // of the commit that is being built
  const std::vector<std::string> over = {"b", "bb", "c"};
  view.erase_rows(over);
  view.put("c", "again");
  const auto left = [&] {
    std::string keys;
    view.scan("", "z",
              [&](std::string_view key, std::string_view) { return keys.append(key), true; });
    return keys;
  };
  EXPECT_EQ(left(), "acd");
  const std::string erased(view.batch().bytes());
  view.sent(2);
  ASSERT_TRUE(store.apply(erased, {Offset{2}, Offset{0}, 2, 0, false}));
  view.applied(2);
  EXPECT_EQ(left(), "acd");
  view.erase_rows({});
  EXPECT_FALSE(view.dirty());
}

TEST(View, AnOldCommitThatCountsDoesNotUncoverANewerChange) {
  MemoryStore store;
  View view(store);
  view.put("a", "old");
  const std::string batch(view.batch().bytes());
  view.sent(1);
  view.erase("a");
  ASSERT_TRUE(store.apply(batch, {Offset{1}, Offset{0}, 1, 0, false}));
  view.applied(1);
  std::string value;
  EXPECT_FALSE(view.get("a", &value));
}

TEST(View, RowsAreSeenUntilTheStoreHasWrittenThem) {
  MemoryStore store({}, 1);
  View view(store);
  const auto count = [&](std::uint64_t seq) {
    const std::string batch(view.batch().bytes());
    view.sent(seq);
    ASSERT_TRUE(
        store.apply(batch, {Offset{static_cast<std::int64_t>(seq)}, Offset{0}, seq, 0, false}));
    view.applied(seq);
  };
  view.put("a", "1");
  view.erase("b");
  count(1);
  std::string value;
  EXPECT_FALSE(store.get("a", &value));
  EXPECT_TRUE(view.get("a", &value));
  view.put("a", "2");
  count(2);
  EXPECT_TRUE(store.get("a", &value) && value == "1");
  EXPECT_TRUE(view.get("a", &value) && value == "2");
  ASSERT_TRUE(store.settle());
  EXPECT_TRUE(view.get("a", &value) && value == "2");
}

}  // namespace
}  // namespace penstock
