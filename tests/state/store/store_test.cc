// What every store does alike.
#include "state/store/store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "state/store/memory_store.h"
#include "state/store/rocks/rocks_store.h"
#include "tests/conformance/temporary_directory.h"
#include "tests/state/log/log_writer.h"

namespace penstock {
namespace {

struct InMemory {
  std::unique_ptr<Store> make() { return std::make_unique<MemoryStore>(); }
};

struct InRocks {
  TemporaryDirectory directory;
  std::unique_ptr<RocksDatabase> database;
  std::unique_ptr<Store> make() {
    std::string notice;
    database = std::move(*open_rocks({.directory = directory.path()}, &notice));
    return std::move(*database->partition("penstock.mail.state", 4));
  }
};

template <typename Kind>
struct EveryStore : testing::Test {
  Kind kind;
  std::unique_ptr<Store> store = kind.make();

  // And waits until it is written.
  [[nodiscard]] Status apply(std::string_view batch, const LogPosition& position) {
    Status status = store->apply(batch, position);
    return status ? store->settle() : status;
  }
  [[nodiscard]] std::string row(std::string_view key) {
    std::string value;
    return store->get(key, &value) ? value : "(none)";
  }
  [[nodiscard]] std::string keys_from(std::string_view from) {
    std::string keys;
    for (const auto rows = store->scan(from, "\x7f"); rows->valid(); rows->next()) {
      if (rows->key()[0] != 'm')
        keys += std::string(rows->key()) + "=" + std::string(rows->value()) + " ";
    }
    return keys;
  }
};
using Kinds = testing::Types<InMemory, InRocks>;
TYPED_TEST_SUITE(EveryStore, Kinds);

const LogPosition kFirst{Offset{7}, Offset{3}, 12, 0xfeedULL, false};
const LogPosition kSecond{Offset{8}, Offset{3}, 13, 0xbeefULL, true};

TYPED_TEST(EveryStore, ANewOneIsEmptyAndHasNoPosition) {
  EXPECT_FALSE(this->store->position().has_value());
  EXPECT_FALSE(this->store->scan("", "\x7f")->valid());
  EXPECT_EQ(this->row("a"), "(none)");
}

TYPED_TEST(EveryStore, RowsAndPositionAreWrittenTogether) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}, {"b", "2"}}), kFirst));
  EXPECT_EQ(this->store->position(), kFirst);
  EXPECT_EQ(this->row("a"), "1");
  Batch second;
  second.erase("a");
  second.put("b", "3");
  ASSERT_TRUE(this->apply(second.bytes(), kSecond));
  EXPECT_EQ(this->store->position(), kSecond);
  EXPECT_EQ(this->row("a"), "(none)");
  EXPECT_EQ(this->row("b"), "3");
}

TYPED_TEST(EveryStore, RubbishLeavesThePositionWhereItIs) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}}), kFirst));
  EXPECT_FALSE(this->apply("rubbish that is no batch", kSecond));
  EXPECT_EQ(this->store->position(), kFirst);
  EXPECT_EQ(this->row("a"), "1");
}

TYPED_TEST(EveryStore, ARangeIsErasedWithItsStartAndWithoutItsEnd) {
  ASSERT_TRUE(this->apply(rows_of({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}), kFirst));
  Batch batch;
  batch.erase_range("b", "d");
  ASSERT_TRUE(this->apply(batch.bytes(), kSecond));
  EXPECT_EQ(this->keys_from("a"), "a= d= ");
}

TYPED_TEST(EveryStore, ScansInTheOrderOfTheBytes) {
  ASSERT_TRUE(this->apply(rows_of({{"b\xff", "3"}, {"a", "1"}, {"b", "2"}, {"c", "4"}}), kFirst));
  EXPECT_EQ(this->keys_from("b"), "b=2 b\xff=3 c=4 ");
}

TYPED_TEST(EveryStore, AScanStopsBeforeItsEndAlsoAfterASeek) {
  ASSERT_TRUE(this->apply(rows_of({{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}), kFirst));
  const auto rows = this->store->scan("a", "c");
  rows->next();
  EXPECT_EQ(rows->key(), "b");
  rows->next();
  EXPECT_FALSE(rows->valid());
  const auto sought = this->store->scan("a", "c");
  sought->seek("b");
  EXPECT_EQ(sought->key(), "b");
  sought->seek("d");
  EXPECT_FALSE(sought->valid());
  EXPECT_FALSE(this->store->scan("c", "a")->valid());
}

TYPED_TEST(EveryStore, DiscardedItIsEmptyAndGoodForUse) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}}), kFirst));
  ASSERT_TRUE(this->store->discard());
  EXPECT_FALSE(this->store->position().has_value());
  EXPECT_EQ(this->row("a"), "(none)");
  ASSERT_TRUE(this->apply(rows_of({{"a", "2"}}), kSecond));
  EXPECT_EQ(this->row("a"), "2");
}

TYPED_TEST(EveryStore, WhatIsRestoredIsThereWithItsPositionOnceItIsSettled) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}, {"b", "1"}, {"c", "1"}}), kFirst));
  Batch batch;
  batch.erase("a");
  batch.put("b", "2");
  ASSERT_TRUE(this->store->restore(batch.bytes(), kFirst));
  ASSERT_TRUE(this->store->restore(rows_of({{"b", "3"}, {"d", "3"}}), kSecond));
  ASSERT_TRUE(this->store->settle());
  EXPECT_EQ(this->keys_from(""), "b=3 c=1 d=3 ");
  EXPECT_EQ(this->store->position(), kSecond);
  ASSERT_TRUE(this->store->settle());
  EXPECT_EQ(this->store->position(), kSecond);
}

TYPED_TEST(EveryStore, WhatIsRestoredMayBeWrittenInPartsThatNobodyWaitsFor) {
  const std::string large(3 << 20, 'x');
  ASSERT_TRUE(this->store->restore(rows_of({{"a", large}, {"b", "1"}}), kFirst));
  ASSERT_EQ(this->store->begin_settling(), true);
  // Perhaps too early for the next part.
  ASSERT_TRUE(this->store->restore(rows_of({{"b", large}, {"c", "2"}}), kSecond));
  ASSERT_TRUE(this->store->begin_settling().has_value());
  ASSERT_TRUE(this->store->restore(rows_of({{"c", "3"}}), kSecond));
  while (!*this->store->begin_settling()) std::this_thread::yield();
  ASSERT_TRUE(this->store->settle());
  EXPECT_EQ(this->keys_from("a"), "a=" + large + " b=" + large + " c=3 ");
  EXPECT_EQ(this->store->position(), kSecond);
}

// More than a store gathers, so that it settles by itself on the way, over rows that it has.
TYPED_TEST(EveryStore, ALongRestoreLeavesWhatTheSameCommitsLeaveOneByOne) {
  MemoryStore expected;
  const auto both = [&](const Batch& batch, const LogPosition& position) {
    ASSERT_TRUE(expected.apply(batch.bytes(), position));
    ASSERT_TRUE(this->store->restore(batch.bytes(), position));
  };
  for (int i = 0; i < 300; ++i) {
    Batch batch;
    for (int j = 0; j < 40; ++j) {
      const std::string key = "k" + std::to_string((i * 7919 + j * 104729) % 2000);
      j % 3 == 0 ? batch.erase(key)
                 : batch.put(key, key + std::string(j % 5 == 0 ? 9000 : 10, 'v'));
    }
    if (i % 20 == 19)
      batch.erase_range("k" + std::to_string(100 + i), "k" + std::to_string(400 + i));
    both(batch, {Offset{i}, Offset{0}, static_cast<std::uint64_t>(i), 7, false});
  }
  ASSERT_TRUE(this->store->settle());
  std::string rows;
  for (const auto row = expected.scan("", "\x7f"); row->valid(); row->next()) {
    rows += std::string(row->key()) + "=" + std::string(row->value()) + " ";
  }
  EXPECT_TRUE(this->keys_from("") == rows);
  EXPECT_EQ(this->store->position(), expected.position());
}

TYPED_TEST(EveryStore, DiscardedItForgetsWhatWasBeingRestored) {
  ASSERT_TRUE(this->store->restore(rows_of({{"a", "1"}}), kFirst));
  ASSERT_TRUE(this->store->discard());
  ASSERT_TRUE(this->store->settle());
  EXPECT_FALSE(this->store->position().has_value());
  EXPECT_EQ(this->row("a"), "(none)");
}

TYPED_TEST(EveryStore, RubbishInARestoreIsAnErrorAndNothingOfIt) {
  ASSERT_TRUE(this->store->restore(rows_of({{"a", "1"}}), kFirst));
  EXPECT_FALSE(this->store->restore("rubbish that is no batch", kSecond));
  ASSERT_TRUE(this->store->settle());
  EXPECT_EQ(this->store->position(), kFirst);
}

TYPED_TEST(EveryStore, WhatIsSetAsideIsKeptOrForgotten) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}}), kFirst));
  ASSERT_TRUE(this->store->set_aside());
  EXPECT_FALSE(this->store->position().has_value());
  EXPECT_EQ(this->row("a"), "(none)");
  EXPECT_EQ(this->store->kept_aside(), "");
  ASSERT_TRUE(this->store->end_aside(false));
  EXPECT_EQ(this->store->kept_aside(), "");
  ASSERT_TRUE(this->apply(rows_of({{"a", "2"}}), kSecond));
  ASSERT_TRUE(this->store->set_aside());
  ASSERT_TRUE(this->store->end_aside(true));
  EXPECT_NE(this->store->kept_aside(), "");
}

TYPED_TEST(EveryStore, OfNothingNothingIsSetAside) {
  ASSERT_TRUE(this->store->set_aside());
  ASSERT_TRUE(this->store->end_aside(true));
  EXPECT_EQ(this->store->kept_aside(), "");
}

// A restore that is set aside in its turn holds less.
TYPED_TEST(EveryStore, TheFirstThatIsSetAsideIsTheOneThatIsKept) {
  ASSERT_TRUE(this->apply(rows_of({{"a", "1"}, {"b", "2"}}), kFirst));
  ASSERT_TRUE(this->store->set_aside());
  ASSERT_TRUE(this->store->restore(rows_of({{"a", "3"}}), kSecond));
  ASSERT_TRUE(this->store->set_aside());
  EXPECT_FALSE(this->store->position().has_value());
  ASSERT_TRUE(this->store->end_aside(true));
  EXPECT_NE(this->store->kept_aside(), "");
}

TYPED_TEST(EveryStore, KnowsAboutHowLargeItIs) {
  ASSERT_TRUE(this->apply(rows_of({{"a", std::string(1 << 20, 'x')}}), kFirst));
  EXPECT_GE(this->store->approximate_bytes(), 1u << 19);
  EXPECT_LE(this->store->approximate_bytes(), 1u << 23);
}

TEST(MemoryStore, CountsItsBytesWhateverIsErased) {
  MemoryStore store;
  ASSERT_TRUE(store.apply(rows_of({{"a", "12345"}, {"b", "12345"}, {"c", "1"}}), kFirst));
  EXPECT_EQ(store.approximate_bytes(), 14u);
  Batch batch;
  batch.erase_range("a", "c");
  ASSERT_TRUE(store.apply(batch.bytes(), kSecond));
  EXPECT_EQ(store.approximate_bytes(), 2u);
  MemoryStore copy(store.contents());
  EXPECT_EQ(copy.approximate_bytes(), 2u);
}

RC_GTEST_PROP(LogPosition, ComesBackAndCutBytesDoNot,
              (std::int64_t at, std::uint64_t seq, bool released, std::int64_t root)) {
  const LogPosition position{Offset{at}, Offset{at / 2}, seq,           seq * 31,
                             released,   Offset{root},   {seq, seq / 3}};
  const std::string bytes = encode_position(position);
  RC_ASSERT(decode_position(bytes) == position);
  RC_ASSERT(!decode_position(bytes.substr(0, bytes.size() - 1)));
  RC_ASSERT(!decode_position(bytes + "x"));
}

}  // namespace
}  // namespace penstock
