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

TEST(LogEntry, TheUsualLeaseIsLeftOutSoThatOlderVersionsReadTheClaim) {
  const std::string usual = encode(Claim{1, 2, Offset{3}, "name"});
  const std::string longer = encode(Claim{1, 2, Offset{3}, "name", std::chrono::minutes(1)});
  EXPECT_EQ(longer.size(), usual.size() + 4);
  EXPECT_EQ(longer.substr(0, usual.size()), usual);
  EXPECT_EQ(std::get<Claim>(*decode_log_entry(usual)).lease, std::chrono::seconds(15));
  EXPECT_EQ(std::get<Claim>(*decode_log_entry(longer)).lease, std::chrono::minutes(1));
  EXPECT_FALSE(decode_log_entry(longer + "x").has_value());
}

RC_GTEST_PROP(LogEntry, ARequestComesBack, (std::uint64_t nonce, std::string name)) {
  const Offset epoch{*rc::gen::inRange<std::int64_t>(0, 1000)};
  const std::string bytes = encode(HandOverRequest{nonce, epoch, name});
  const auto request = std::get<HandOverRequest>(*decode_log_entry(bytes));
  RC_ASSERT(request.nonce == nonce && request.epoch == epoch && request.instance == name);
}

TEST(LogEntry, ARequestIsAClaimOfNoEpochToVersionsThatDoNotKnowIt) {
  const std::string request = encode(HandOverRequest{1, Offset{0}, "name"});
  EXPECT_EQ(request, encode(Claim{1, 0, Offset{-2}, "name"}));
  const std::string first = encode(Claim{1, 0, Offset{-1}, "name"});
  EXPECT_TRUE(std::holds_alternative<Claim>(*decode_log_entry(first)));
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
