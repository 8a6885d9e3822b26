#include "state/rows/packed_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace penstock {
namespace {

constexpr PackedTable::Tags kNoneFree = 1;  // only empty cells
constexpr std::uint64_t kKeys = std::uint64_t{1} << PackedTable::kKeyBits;

// Like a digest's (the finalizer of splitmix64): some lines get more keys than others.
std::uint64_t spread(std::uint64_t number) {
  std::uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111eb;
  return (mixed ^ (mixed >> 31U)) % kKeys;
}

// What the table must have, kept in a plain map.
struct TableModel {
  std::map<std::uint64_t, PackedTable::Tag> tags;
  PackedTable::Tags free = kNoneFree;

  [[nodiscard]] PackedTable::Tag find(std::uint64_t key) const {
    const auto found = tags.find(key);
    return found == tags.end() || ((free >> found->second) & 1U) != 0 ? PackedTable::kNone
                                                                      : found->second;
  }
};

// Half of the keys are close to each other, so that they share lines, and pass them on.
std::uint64_t any_key() {
  return *rc::gen::arbitrary<bool>() ? spread(*rc::gen::inRange<std::uint64_t>(0, 300))
                                     : kKeys / 3 + *rc::gen::inRange<std::uint64_t>(0, 60);
}

void change_both(PackedTable& table, TableModel& model) {
  const std::uint64_t key = any_key();
  const auto tag = static_cast<PackedTable::Tag>(*rc::gen::inRange(1, 32));
  const bool is_free = ((model.free >> tag) & 1U) != 0;
  switch (*rc::gen::inRange(0, 12)) {
    case 0:
      table.remove(key);
      model.tags.erase(key);
      return;
    case 1:
      if (*rc::gen::inRange(0, 10) != 0) return;
      model.free |= PackedTable::Tags{1} << tag;
      return;
    case 2:
      if (*rc::gen::inRange(0, 10) != 0) return;
      table.sweep(model.free);
      std::erase_if(model.tags,
                    [&](const auto& one) { return ((model.free >> one.second) & 1U) != 0; });
      model.free = kNoneFree;
      return;
    case 3:
    case 4:
    case 5:
      if (is_free) return;
      RC_ASSERT(table.find_or_set(key, tag, model.free) == (model.find(key) != PackedTable::kNone));
      if (model.find(key) == PackedTable::kNone) model.tags[key] = tag;
      return;
    default:
      if (is_free) return;
      table.set(key, tag, model.free);
      model.tags[key] = tag;
  }
}

RC_GTEST_PROP(PackedTable, HasWhatAPlainMapHas, ()) {
  PackedTable table;
  TableModel model;
  for (int left = *rc::gen::inRange(0, 2000); left > 0; --left) {
    change_both(table, model);
    const std::uint64_t key = any_key();
    const PackedTable::Tag found = table.find(key);
    RC_ASSERT((((model.free >> found) & 1U) != 0 ? PackedTable::kNone : found) == model.find(key));
  }
}

// Keys that differ in one bit, whichever it is, and while the table grows from wide cells to narrow
// ones.
TEST(PackedTable, ComparesEveryBitOfAKeyAtEverySize) {
  PackedTable table;
  constexpr std::uint64_t kMany = 600'000;
  for (std::uint64_t number = 0; number < kMany; ++number) {
    table.set(spread(number), static_cast<PackedTable::Tag>(1 + number % 31), kNoneFree);
    if (number % 1000 != 0) continue;
    for (int bit = 0; bit < PackedTable::kKeyBits; ++bit) {
      ASSERT_EQ(table.find(spread(number) ^ (std::uint64_t{1} << bit)), PackedTable::kNone);
    }
  }
  for (std::uint64_t number = 0; number < kMany; ++number) {
    ASSERT_EQ(table.find(spread(number)), 1 + number % 31);
  }
  EXPECT_LE(table.bytes(), 8 * kMany);
}

TEST(PackedTable, HasTheFirstAndTheLastKeyAtEverySize) {
  PackedTable table;
  table.set(0, 1, kNoneFree);
  table.set(kKeys - 1, 2, kNoneFree);
  for (std::uint64_t number = 1; number < 20'000; ++number) {
    table.set(spread(number), 3, kNoneFree);
    ASSERT_EQ(table.find(0), 1);
    ASSERT_EQ(table.find(kKeys - 1), 2);
  }
}

// They all belong to one line, whose reach they fill.
TEST(PackedTable, KeysOfOneLineFindRoomInTheNextOnes) {
  PackedTable table;
  for (std::uint64_t key = 1000; key < 1200; ++key) table.set(spread(key), 1, kNoneFree);
  for (std::uint64_t key = 0; key < 90; ++key) table.set(key, 2, kNoneFree);
  for (std::uint64_t key = 0; key < 90; ++key) ASSERT_EQ(table.find(key), 2);
}

TEST(PackedTable, ATagIsChangedIntoAnother) {
  PackedTable table;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    table.set(spread(number), static_cast<PackedTable::Tag>(1 + number % 3), kNoneFree);
  }
  table.change(1, 3);
  for (std::uint64_t number = 0; number < 1000; ++number) {
    ASSERT_EQ(table.find(spread(number)), number % 3 == 1 ? 2 : 3);
  }
}

}  // namespace
}  // namespace penstock
