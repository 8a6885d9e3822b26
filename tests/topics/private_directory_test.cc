#include "topics/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 0777;
}

TEST(PrivateDirectory, IsItsOwnersWhateverTheUmask) {
  const TemporaryDirectory root;
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{0277}}) {
    const std::string top = root.path() + "/" + std::to_string(mask);
    const mode_t former = ::umask(mask & 0077);
    EXPECT_TRUE(make_private_directory(top + "/state/rows"));
    ::umask(former);
    for (const char* const part : {"", "/state", "/state/rows"})
      EXPECT_EQ(mode_of(top + part), 0700u);
  }
}

TEST(PrivateDirectory, OneThatIsThereIsClosedButNotWhatLeadsToIt) {
  const TemporaryDirectory root;
  const std::string top = root.path() + "/top";
  ASSERT_EQ(::mkdir(top.c_str(), 0700), 0);
  ASSERT_EQ(::chmod(top.c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((top + "/rows").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((top + "/rows").c_str(), 0755), 0);
  EXPECT_TRUE(make_private_directory(top + "/rows"));
  EXPECT_EQ(mode_of(top), 0755u);
  EXPECT_EQ(mode_of(top + "/rows"), 0700u);
}

TEST(PrivateDirectory, WhatCannotBeMadeIsNamed) {
  const TemporaryDirectory root;
  const std::string file = root.path() + "/file";
  std::ofstream(file) << "x";
  for (const std::string& path : {file, file + "/below"}) {
    const Status made = make_private_directory(path);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find(path), std::string::npos) << made.error().message;
  }
}

}  // namespace
}  // namespace penstock
