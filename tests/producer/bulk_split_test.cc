#include "producer/bulk_split.h"

#include <gtest/gtest.h>

#include "producer/job_text.h"
#include "topics/record/job_decoder.h"

namespace penstock {
namespace {

NewBulkAction action(std::size_t items, std::size_t chunk) {
  NewBulkAction made;
  made.job = {
      .queue = "mail", .type = "send", .account = "acme", .args = {{"from", "me"}}, .weight = 4};
  made.id = "spring";
  made.chunk = chunk;
  made.on_done = {{"type", "report"}};
  for (std::size_t i = 0; i < items; ++i) made.items.push_back(i);
  return made;
}

std::string fault(const NewBulkAction& action) {
  const auto split = BulkSplit::make(action, "made");
  return split ? std::string() : split.error().message;
}

TEST(BulkSplit, EveryItemIsInOneChunkInItsOrder) {
  for (std::size_t items = 1; items <= 30; ++items) {
    for (std::size_t chunk = 1; chunk <= 12; ++chunk) {
      const NewBulkAction whole = action(items, chunk);
      const auto split = BulkSplit::make(whole, "made");
      ASSERT_TRUE(split);
      std::vector<nlohmann::json> all;
      for (std::size_t i = 0; i < split->size(); ++i) {
        const auto part = split->chunk(i).args.at("items");
        EXPECT_TRUE(!part.empty() && part.size() <= chunk);
        all.insert(all.end(), part.begin(), part.end());
      }
      EXPECT_EQ(all, whole.items);
    }
  }
}

TEST(BulkSplit, AChunkIsARecordThatTheDecoderAdmits) {
  const NewBulkAction whole = action(7, 3);
  const auto split = BulkSplit::make(whole, "made");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto text = job_text(split->chunk(i), "");
    JobDecoder decoder;
    const auto record = decoder.decode("acme", *text);
    ASSERT_TRUE(record) << record.error().detail;
    EXPECT_EQ(record->id, "spring/" + std::to_string(i));
    EXPECT_EQ(record->bulk->id, "spring");
    EXPECT_EQ(record->bulk->index, static_cast<std::int64_t>(i));
    EXPECT_EQ(record->bulk->size, 3);
    EXPECT_EQ(record->bulk->on_done.empty(), i != 0);
    EXPECT_EQ(record->weight, 4);
  }
  EXPECT_EQ(split->chunk(2).args.dump(), R"({"from":"me","items":[6]})");
}

TEST(BulkSplit, AnIdIsMadeWhereNoneIsGiven) {
  NewBulkAction whole = action(1, 1);
  whole.id.clear();
  EXPECT_EQ(BulkSplit::make(whole, "made")->chunk(0).id, "made/0");
}

TEST(BulkSplit, WhatCannotBeSplitIsRefused) {
  EXPECT_NE(fault(action(0, 1)), "");
  EXPECT_NE(fault(action(1, 0)), "");
  NewBulkAction whole = action(1, 1);
  whole.job.args = nlohmann::json::array();
  EXPECT_NE(fault(whole), "");
  whole.job.args = {{"items", 1}};
  EXPECT_NE(fault(whole), "");
  whole = action(1, 1);
  whole.job.id = "mine";
  EXPECT_NE(fault(whole), "");
}

TEST(BulkSplit, AChunkLastsFiveSecondsByTheTimeOfAnItem) {
  NewBulkAction whole = action(1000, 7);
  whole.item_time = std::chrono::milliseconds(50);
  EXPECT_EQ(whole.items_per_chunk(), 100u);
  EXPECT_EQ(BulkSplit::make(whole, "b")->size(), 10u);
  EXPECT_EQ(BulkSplit::make(whole, "b")->chunk(0).args.at("items").size(), 100u);
  whole.item_time = std::chrono::seconds(60);
  EXPECT_EQ(whole.items_per_chunk(), 1u) << "an item is the least";
  whole.item_time = std::chrono::microseconds(0);
  EXPECT_EQ(whole.items_per_chunk(), NewBulkAction::kMaxAutoItems);
}

TEST(BulkSplit, ItsSizeGivenAsANumberMakesTheSameChunksAgain) {
  NewBulkAction first = action(1000, 7);
  first.item_time = std::chrono::milliseconds(60);
  NewBulkAction again = action(1000, first.items_per_chunk());
  const auto split = BulkSplit::make(first, "b"), repeated = BulkSplit::make(again, "b");
  ASSERT_EQ(split->size(), 13u);
  ASSERT_EQ(repeated->size(), 13u);
  for (std::size_t i = 0; i < 13; ++i)
    EXPECT_EQ(*job_text(split->chunk(i), ""), *job_text(repeated->chunk(i), ""));
}

}  // namespace
}  // namespace penstock
