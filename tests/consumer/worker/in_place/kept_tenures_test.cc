#include "consumer/worker/in_place/kept_tenures.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "consumer/worker/in_place/boot.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kTopic = "penstock.mail";
constexpr TopicUuid kMailState{5, 6};

LastTenure tenure(std::int64_t epoch) {
  return {Offset{epoch}, Instant(std::chrono::seconds(epoch)), Offset{epoch - 1}, kMailState};
}

class KeptTenuresTest : public testing::Test {
 protected:
  KeptTenuresTest() {
    std::string pattern = testing::TempDir() + "/penstock-tenures-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ~KeptTenuresTest() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::remove_all(directory_ + "-copy");
  }

  // A process, until it is destroyed.
  [[nodiscard]] static std::unique_ptr<KeptTenures> process(const std::string& directory,
                                                            std::string boot = "boot 1") {
    auto opened = KeptTenures::open(directory, std::move(boot));
    EXPECT_TRUE(opened);
    return *std::move(opened);
  }
  [[nodiscard]] std::unique_ptr<KeptTenures> process() const { return process(directory_); }
  // A process that keeps these epochs of partitions 0, 1, ... and ends.
  void keep(std::initializer_list<std::int64_t> epochs) const {
    const auto kept = process();
    EXPECT_TRUE(kept->take());
    PartitionId partition = 0;
    for (const std::int64_t epoch : epochs) kept->keep(kTopic, partition++, tenure(epoch));
  }
  // What the next process finds.
  [[nodiscard]] Offset found(PartitionId partition, std::string_view topic = kTopic) const {
    const auto next = process();
    EXPECT_TRUE(next->take());
    return next->left(topic, partition).epoch;
  }
  [[nodiscard]] std::string file() const { return directory_ + "/tenures"; }

  std::string directory_;
};

TEST_F(KeptTenuresTest, TheNextProcessFindsWhatThisOneHasKept) {
  keep({7, 9});
  const auto next = process();
  ASSERT_TRUE(next->take());
  const LastTenure left = next->left(kTopic, 1);
  EXPECT_EQ(left.epoch, Offset{9});
  EXPECT_EQ(left.waited_until, Instant(9s));
  EXPECT_EQ(left.since, Offset{8});
  EXPECT_EQ(left.log, kMailState);
  EXPECT_EQ(next->left(kTopic, 0).epoch, Offset{7});
  EXPECT_EQ(next->left(kTopic, 2).epoch, Offset{-1});
  EXPECT_EQ(next->left("penstock.other", 1).epoch, Offset{-1});
}

TEST_F(KeptTenuresTest, ALaterTenureTakesThePlaceOfAnEarlierOne) {
  keep({7, 9});
  keep({8});
  EXPECT_EQ(found(0), Offset{8});
  EXPECT_EQ(found(1), Offset{9});  // nobody has had it since
}

// Attempts of it may still run in this process.
TEST_F(KeptTenuresTest, WhatAProcessHasKeptItselfIsNotGivenOutToIt) {
  keep({7});
  const auto kept = process();
  ASSERT_TRUE(kept->take());
  kept->keep(kTopic, 0, tenure(8));
  kept->keep(kTopic, 1, tenure(9));
  EXPECT_TRUE(kept->take());
  EXPECT_EQ(kept->left(kTopic, 0).epoch, Offset{7});
  EXPECT_EQ(kept->left(kTopic, 1).epoch, Offset{-1});
}

TEST_F(KeptTenuresTest, NothingIsGivenOutWhileSomethingOfTheProcessBeforeHoldsTheLock) {
  auto before = process();
  ASSERT_TRUE(before->take());
  before->keep(kTopic, 0, tenure(7));
  Fd child(dup(before->lock_file()));  // what it has started
  before.reset();
  const auto next = process();
  EXPECT_FALSE(next->take());
  EXPECT_EQ(next->left(kTopic, 0).epoch, Offset{-1});
  child.close();
  EXPECT_TRUE(next->take());
  EXPECT_EQ(next->left(kTopic, 0).epoch, Offset{7});
}

// Nobody could tell when it has ended.
TEST_F(KeptTenuresTest, NothingIsKeptWithoutTheLock) {
  auto before = process();
  ASSERT_TRUE(before->take());
  before->keep(kTopic, 0, tenure(7));
  {
    const auto without = process();
    EXPECT_FALSE(without->take());
    without->keep(kTopic, 0, tenure(8));
  }
  before.reset();
  EXPECT_EQ(found(0), Offset{7});
}

TEST_F(KeptTenuresTest, WhatWasKeptBeforeTheLockCameIsKeptWithIt) {
  auto before = process();
  ASSERT_TRUE(before->take());
  {
    const auto late = process();
    late->keep(kTopic, 0, tenure(8));
    before.reset();
    EXPECT_TRUE(late->take());
  }
  EXPECT_EQ(found(0), Offset{8});
}

TEST_F(KeptTenuresTest, OfAnotherBootNothingIsGivenOut) {
  keep({7});
  const auto next = process(directory_, "boot 2");
  ASSERT_TRUE(next->take());
  EXPECT_EQ(next->left(kTopic, 0).epoch, Offset{-1});
}

TEST_F(KeptTenuresTest, AFileOfAnotherBootIsReplaced) {
  {
    const auto earlier = process(directory_, "boot 0");
    ASSERT_TRUE(earlier->take());
    earlier->keep(kTopic, 0, tenure(7));
    earlier->keep(kTopic, 1, tenure(7));
  }
  keep({9});
  EXPECT_EQ(found(0), Offset{9});
  EXPECT_EQ(found(1), Offset{-1});
}

TEST_F(KeptTenuresTest, WithoutABootNothingIsKept) {
  for (int i = 0; i < 2; ++i) {
    const auto kept = process(directory_, "");
    ASSERT_TRUE(kept->take());
    EXPECT_EQ(kept->left(kTopic, 0).epoch, Offset{-1});
    kept->keep(kTopic, 0, tenure(7));
  }
}

// The process that the directory was copied from may live.
TEST_F(KeptTenuresTest, OfACopiedDirectoryNothingIsGivenOut) {
  const auto lives = process();
  ASSERT_TRUE(lives->take());
  lives->keep(kTopic, 0, tenure(7));
  std::filesystem::copy(directory_, directory_ + "-copy");
  const auto next = process(directory_ + "-copy");
  ASSERT_TRUE(next->take());
  EXPECT_EQ(next->left(kTopic, 0).epoch, Offset{-1});
}

TEST_F(KeptTenuresTest, AFileOfAnotherFormatIsReplaced) {
  std::ofstream(file()) << "an older version wrote this: " << std::string(1000, 'x');
  EXPECT_EQ(found(0), Offset{-1});
  keep({7});
  EXPECT_EQ(found(0), Offset{7});
}

TEST_F(KeptTenuresTest, ATornTenureIsNotGivenOutAndTheOthersAre) {
  keep({7, 8, 9});
  const auto bytes = static_cast<std::streamoff>(std::filesystem::file_size(file()));
  const std::streamoff slot = (bytes - 144) / 3;
  {
    std::fstream torn(file(), std::ios::in | std::ios::out | std::ios::binary);
    torn.seekp(144 + slot + 264);  // the epoch of the second
    torn.put('\x7f');
  }
  std::filesystem::resize_file(file(), static_cast<std::uintmax_t>(bytes - 1));
  EXPECT_EQ(found(0), Offset{7});
  EXPECT_EQ(found(1), Offset{-1});
  EXPECT_EQ(found(2), Offset{-1});
  keep({10, 11, 12});
  EXPECT_EQ(found(0), Offset{10});
  EXPECT_EQ(found(1), Offset{11});
  EXPECT_EQ(found(2), Offset{12});
}

// Its offsets could not be told from those of another cluster's log.
TEST_F(KeptTenuresTest, ATenureOfALogWithoutAnIdIsNotKept) {
  {
    const auto kept = process();
    ASSERT_TRUE(kept->take());
    LastTenure unknown = tenure(7);
    unknown.log = {};
    kept->keep(kTopic, 0, unknown);
  }
  EXPECT_EQ(found(0), Offset{-1});
}

TEST_F(KeptTenuresTest, TheLockIsWaitedForAMoment) {
  auto before = process();
  ASSERT_TRUE(before->take());
  const auto next = process();
  int waits = 0;
  next->take_patiently([&] { return ++waits < 3 || (before.reset(), true); },
                       [](std::string_view, const std::string& text) { ADD_FAILURE() << text; });
  EXPECT_TRUE(next->take());
  EXPECT_EQ(waits, 3);
}

TEST_F(KeptTenuresTest, AProcessThatIsToStopDoesNotWaitForTheLock) {
  const auto before = process();
  ASSERT_TRUE(before->take());
  const auto next = process();
  next->take_patiently([] { return false; },
                       [](std::string_view, const std::string& text) { ADD_FAILURE() << text; });
  EXPECT_FALSE(next->take());
}

TEST_F(KeptTenuresTest, ThatItGoesOnWithoutTheLockIsSaid) {
  const auto before = process();
  ASSERT_TRUE(before->take());
  const auto next = process();
  std::string said;
  next->take_patiently([] { return poll(nullptr, 0, 100) == 0; },
                       [&](std::string_view, const std::string& text) { said = text; });
  EXPECT_NE(said.find(directory_ + "/lock"), std::string::npos) << said;
}

TEST(Boot, IsTheSameWithinABootAndHasTheTimeNamespace) {
  EXPECT_FALSE(read_boot().empty());
  EXPECT_EQ(read_boot(), read_boot());
  if (std::filesystem::exists("/proc/self/ns/time")) {
    EXPECT_NE(read_boot().find("time:["), std::string::npos) << read_boot();
  }
}

}  // namespace
}  // namespace penstock
