#include "state/log/log_entry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace penstock {
namespace {

RC_GTEST_PROP(LogEntry, AClaimComesBack,
              (std::uint64_t nonce, std::uint32_t generation, std::string name)) {
  const Offset previous{*rc::gen::inRange<std::int64_t>(-1, 1000)};
  const std::string bytes = encode(Claim{nonce, generation, previous, name});
  const auto entry = decode_log_entry(bytes);
  RC_ASSERT(entry.has_value());
  const Claim& claim = std::get<Claim>(*entry);
  RC_ASSERT(claim.nonce == nonce && claim.generation == generation);
  RC_ASSERT(claim.previous == previous && claim.instance == name);
}

RC_GTEST_PROP(LogEntry, ACommitComesBack,
              (std::int64_t epoch, std::uint64_t seq, std::string rows)) {
  const auto chain = *rc::gen::arbitrary<std::uint64_t>();
  const std::string bytes = encode(Commit{Offset{epoch}, seq, chain, rows});
  const auto entry = decode_log_entry(bytes);
  RC_ASSERT(entry.has_value());
  const Commit& commit = std::get<Commit>(*entry);
  RC_ASSERT(commit.epoch == Offset{epoch} && commit.seq == seq);
  RC_ASSERT(commit.chain == chain && commit.rows == rows);
}

TEST(LogEntry, AReleaseComesBackAndTakesNothingBehindIt) {
  const std::string bytes = encode(Release{Offset{4}, 9, 77});
  const auto entry = decode_log_entry(bytes);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(std::get<Release>(*entry).seq, 9u);
  EXPECT_FALSE(decode_log_entry(bytes + "x").has_value());
}

TEST(LogEntry, CutBytesAreRefused) {
  const std::string claim = encode(Claim{1, 2, Offset{3}, "name"});
  for (std::size_t length = 0; length < claim.size(); ++length) {
    EXPECT_FALSE(decode_log_entry(std::string_view(claim).substr(0, length))) << length;
  }
  const std::string commit = encode(Commit{Offset{1}, 2, 3, ""});
  for (std::size_t length = 0; length < commit.size(); ++length) {
    EXPECT_FALSE(decode_log_entry(std::string_view(commit).substr(0, length))) << length;
  }
}

TEST(LogEntry, ANewerVersionIsRefusedWithTheWayOut) {
  std::string bytes = encode(Release{Offset{4}, 9, 77});
  bytes[0] = 2;
  const auto entry = decode_log_entry(bytes);
  ASSERT_FALSE(entry.has_value());
  EXPECT_NE(entry.error().message.find("run the version that wrote it"), std::string::npos);
}

TEST(LogEntry, AnUnknownKindIsRefused) { EXPECT_FALSE(decode_log_entry("\x01\x09").has_value()); }

}  // namespace
}  // namespace penstock
