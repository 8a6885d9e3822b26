#include "consumer/job/line_order.h"

#include <gtest/gtest.h>

#include <set>

#include "consumer/schedule/lines/line.h"

namespace penstock {
namespace {

std::string line_of(Order order, const JobRow& row) {
  std::string buffer;
  return std::string(LineOrder(order).line_of(row, buffer));
}

JobRow copy_by(const std::string& replay, const std::string& type = "t") {
  JobRow row;
  row.type = type;
  row.id = "replay/" + replay + "/a/b";
  row.replay = "{}";
  return row;
}

TEST(LineOrder, EachReplayHasLinesOfItsOwnOnePerTypeOrOneWhereStrict) {
  JobRow elsewhere = copy_by("r");
  elsewhere.origin = "other";
  JobRow plain;
  plain.type = "t";
  for (const Order order : {Order::kCreated, Order::kReady, Order::kFair, Order::kStrict}) {
    std::set<std::string> names;
    for (const JobRow& row :
         {plain, copy_by("r"), copy_by("s"), copy_by("r", "u"), copy_by("s", "u"), elsewhere}) {
      const std::string name = line_of(order, row);
      EXPECT_EQ(is_copies_line(name), row.is_copy());
      names.insert(name);
    }
    EXPECT_EQ(names.size(), order == Order::kStrict ? 4u : 6u);
  }
}

TEST(LineOrder, ALinesNameFitsIntoItsKeysWhateverTheIdOfACopySays) {
  for (const std::size_t size : {std::size_t{64}, std::size_t{240}}) {
    JobRow row = copy_by(std::string(size, 'r'), std::string(128, 't'));
    EXPECT_LE(line_of(Order::kCreated, row).size(), 255u);
    row.origin = std::string(200, 'q');
    EXPECT_LE(line_of(Order::kCreated, row).size(), 255u);
  }
}

TEST(LineOrder, AnAccountsCopiesShareTurnsWithNoBulk) {
  std::set<std::string> shares;
  for (const auto& [replay, type] : {std::pair("r", "t"), {"s", "t"}, {"r", "u"}})
    shares.emplace(share_name(line_of(Order::kFair, copy_by(replay, type))));
  ASSERT_EQ(shares.size(), 1u);
  for (int i = 0; i < 1000; ++i) {
    JobRow chunk;
    chunk.type = "t";
    chunk.bulk = std::to_string(i);
    const std::string name = line_of(Order::kFair, chunk);
    EXPECT_FALSE(is_copies_line(name));
    EXPECT_FALSE(shares.contains(std::string(share_name(name))));
  }
}

}  // namespace
}  // namespace penstock
