#include "consumer/worker/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace penstock {
namespace {

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    char pattern[] = "/tmp/penstock-journal-XXXXXX";
    directory_ = ::mkdtemp(pattern);
  }
  ~JournalTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path() const { return directory_ + "/journal"; }
  [[nodiscard]] static AttemptKey key(std::uint64_t number) { return {0, 3, {1, 2, number}}; }

  std::vector<InFlight> reopen() {
    std::vector<InFlight> left;
    EXPECT_TRUE(Journal::open(path(), &left));
    return left;
  }

  std::string directory_;
};

TEST_F(JournalTest, ANewJournalHoldsNothing) { EXPECT_TRUE(reopen().empty()); }

TEST_F(JournalTest, WhatRanWhenTheProcessWasKilledIsFoundByTheNextOne) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<InFlight> left;
    auto journal = Journal::open(path(), &left);
    (*journal)->started(0, key(1), {"mail", "acme", "poison"});
    (*journal)->begun(0, key(1));
    (*journal)->started(0, key(2), {"mail", "acme", "fine"});
    (*journal)->begun(0, key(2));
    (*journal)->ended(0, key(2));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const std::vector<InFlight> left = reopen();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].queue, "mail");
  EXPECT_EQ(left[0].account, "acme");
  EXPECT_EQ(left[0].id, "poison");
}

TEST_F(JournalTest, AJobIsReportedOnce) {
  {
    std::vector<InFlight> left;
    auto journal = Journal::open(path(), &left);
    (*journal)->started(0, key(1), {"mail", "acme", "poison"});
    (*journal)->begun(0, key(1));
  }
  EXPECT_EQ(reopen().size(), 1u);
  EXPECT_TRUE(reopen().empty());
}

TEST_F(JournalTest, AnAttemptThatOnlyWaitsForItsHandlerKillsNobody) {
  {
    std::vector<InFlight> left;
    auto journal = Journal::open(path(), &left);
    (*journal)->started(0, key(1), {"mail", "acme", "waits"});
    (*journal)->started(0, key(2), {"mail", "acme", "runs"});
    (*journal)->begun(0, key(2));
    (*journal)->started(0, key(3), {"mail", "acme", "ended before it began"});
    (*journal)->ended(0, key(3));
    (*journal)->begun(0, key(3));
  }
  const std::vector<InFlight> left = reopen();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, "runs");
}

TEST_F(JournalTest, TheLongestNamesAreKeptWhole) {
  const std::string account(255, 'a'), id(255, 'i'), queue(224, 'q');
  {
    std::vector<InFlight> left;
    auto journal = Journal::open(path(), &left);
    (*journal)->started(1, key(1), {queue, account, id});
    (*journal)->begun(1, key(1));
  }
  const std::vector<InFlight> left = reopen();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].queue, queue);
  EXPECT_EQ(left[0].account, account);
  EXPECT_EQ(left[0].id, id);
}

TEST_F(JournalTest, MoreAttemptsThanSlotsRunUnnoted) {
  {
    std::vector<InFlight> left;
    auto journal = Journal::open(path(), &left);
    for (std::uint64_t i = 1; i <= Journal::kSlots + 10; ++i) {
      (*journal)->started(0, key(i), {"mail", "acme", std::to_string(i)});
      (*journal)->begun(0, key(i));
    }
  }
  EXPECT_EQ(reopen().size(), Journal::kSlots);
}

TEST_F(JournalTest, OneSuspectRunsAtATime) {
  std::vector<InFlight> left;
  auto journal = *Journal::open(path(), &left);
  EXPECT_TRUE(journal->hold_suspect(0, key(1)));
  EXPECT_TRUE(journal->hold_suspect(0, key(1))) << "it is its own";
  EXPECT_FALSE(journal->hold_suspect(0, key(2)));
  EXPECT_FALSE(journal->hold_suspect(1, key(1))) << "of another loop";
  journal->started(0, key(1), {"mail", "acme", "1"});
  journal->ended(0, key(2));
  EXPECT_FALSE(journal->hold_suspect(0, key(2)));
  journal->ended(0, key(1));
  EXPECT_TRUE(journal->hold_suspect(0, key(2)));
}

TEST_F(JournalTest, AFileOfAnotherKindIsBegunAnew) {
  std::ofstream(path()) << "this is no journal, but long enough to look like one";
  EXPECT_TRUE(reopen().empty());
}

TEST_F(JournalTest, TakesItsRoomOnDiskAtTheStartAndNotWhenAJobStarts) {
  std::vector<InFlight> left;
  const auto journal = *Journal::open(path(), &left);
  struct stat file {};
  ASSERT_EQ(::stat(path().c_str(), &file), 0);
  EXPECT_GE(file.st_blocks * 512, file.st_size) << "it is sparse";
}

TEST_F(JournalTest, AFullDiskIsAnErrorThatNamesTheFile) {
  // A limit on the size of files fails as a full disk does, but for the error's name.
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::vector<InFlight> left;
    const auto journal = Journal::open(path(), &left);
    ::_exit(!journal && journal.error().message.find(path()) != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(JournalTest, ADirectoryThatCannotBeWrittenIsAnErrorThatNamesIt) {
  std::vector<InFlight> left;
  const auto journal = Journal::open("/proc/penstock/journal", &left);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("/proc/penstock/journal"), std::string::npos);
}

TEST_F(JournalTest, EveryItemOfABatchIsNotedAndForgottenWithIt) {
  std::vector<InFlight> left;
  {
    auto journal = Journal::open(path(), &left);
    for (const char* const id : {"a", "b"}) (*journal)->started(0, key(1), {"mail", "acme", id});
    (*journal)->begun(0, key(1));
    (*journal)->started(0, key(2), {"mail", "acme", "c"});
    (*journal)->begun(0, key(2));
    (*journal)->ended(0, key(2));
  }
  EXPECT_EQ(reopen().size(), 2u);
  {
    auto journal = Journal::open(path(), &left);
    for (const char* const id : {"a", "b"}) (*journal)->started(0, key(1), {"mail", "acme", id});
    (*journal)->begun(0, key(1));
    (*journal)->ended(0, key(1));
  }
  EXPECT_TRUE(reopen().empty());
}

}  // namespace
}  // namespace penstock
