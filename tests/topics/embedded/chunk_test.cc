#include "topics/embedded/disk/chunk.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace penstock::embedded {
namespace {

ChunkRef chunk_of(int records, Offset base) {
  ChunkBuilder builder;
  for (int i = 0; i < records; ++i) {
    const std::string text = std::to_string(i);
    const std::array<HeaderView, 3> headers = {HeaderView{"n", text}, HeaderView{"", "x"},
                                               HeaderView{"null", std::nullopt}};
    std::string encoded;
    encode_record(encoded, {.key = text, .value = std::nullopt, .headers = headers});
    builder.add(encoded);
  }
  return builder.finish(base, time_from_ms(1234));
}

TEST(Chunk, RecordsComeBackFromAnyPositionInPieces) {
  ChunkCursor cursor(chunk_of(10, Offset{100}));
  RecordViews views;
  EXPECT_FALSE(cursor.reaches(Offset{99}));
  EXPECT_FALSE(cursor.reaches(Offset{110}));
  ASSERT_TRUE(cursor.reaches(Offset{103}));
  ASSERT_TRUE(cursor.read(Offset{103}, 4, views));
  ASSERT_EQ(views.records().size(), 4u);
  EXPECT_EQ(views.records()[0].offset, Offset{103});
  EXPECT_EQ(views.records()[0].key, "3");
  EXPECT_EQ(views.records()[3].headers[0].value, "6");
  EXPECT_EQ(views.records()[3].timestamp, time_from_ms(1234));
  EXPECT_FALSE(cursor.reaches(Offset{106})) << "that one is behind";
  views.clear();
  ASSERT_TRUE(cursor.read(Offset{107}, 100, views));
  ASSERT_EQ(views.records().size(), 3u);
  EXPECT_EQ(views.records()[2].headers[1].value, "x");
  EXPECT_EQ(views.records()[2].headers[2].value, std::nullopt);
}

TEST(Chunk, WhatWasWrittenParses) {
  const ChunkRef chunk = chunk_of(3, Offset{7});
  const ChunkRef parsed = parse_chunk(Offset{7}, chunk->bytes);
  ASSERT_NE(parsed, nullptr);
  EXPECT_EQ(parsed->count, 3);
  EXPECT_EQ(parsed->end(), Offset{10});
  EXPECT_EQ(parsed->timestamp, chunk->timestamp);
}

TEST(Chunk, TheBuilderBeginsAnewAfterEachChunk) {
  ChunkBuilder builder;
  std::string encoded;
  encode_record(encoded, {.key = "k", .value = "v", .headers = {}});
  builder.add(encoded);
  EXPECT_EQ(builder.finish(Offset{0}, time_from_ms(1))->count, 1);
  EXPECT_TRUE(builder.empty());
  builder.add(encoded);
  builder.add(encoded);
  EXPECT_EQ(builder.finish(Offset{1}, time_from_ms(1))->count, 2);
}

TEST(Chunk, ABrokenOneIsRefusedAndNeverReadPastItsEnd) {
  const std::string sound = chunk_of(20, Offset{0})->bytes;
  std::mt19937 random(7);
  RecordViews views;
  for (int round = 0; round < 5000; ++round) {
    std::string broken = sound.substr(0, random() % (sound.size() + 1));
    for (int i = 0; i < 3 && !broken.empty(); ++i) {
      broken[random() % broken.size()] = static_cast<char>(random());
    }
    const ChunkRef chunk = parse_chunk(Offset{0}, broken);
    if (chunk == nullptr) continue;
    views.clear();
    ChunkCursor cursor(chunk);
    if (!cursor.read(Offset{0}, 1000, views)) continue;
    for (const LogRecord& record : views.records()) {
      if (!record.key) continue;
      EXPECT_GE(record.key->data(), chunk->bytes.data());
      EXPECT_LE(record.key->data() + record.key->size(), chunk->bytes.data() + chunk->bytes.size());
    }
  }
}

}  // namespace
}  // namespace penstock::embedded
