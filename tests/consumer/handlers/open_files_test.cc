#include "consumer/handlers/process/open_files.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "consumer/handlers/process/child_process.h"

namespace penstock {
namespace {

constexpr rlim_t kStarted = 300;

rlimit limit() {
  rlimit found{};
  EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &found), 0);
  return found;
}

// A limit as the process may be started with, and the former one at the end.
class OpenFiles : public testing::Test {
 protected:
  OpenFiles() {
    const rlimit started{kStarted, former_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &started), 0);
  }
  ~OpenFiles() override { setrlimit(RLIMIT_NOFILE, &former_); }

  const rlimit former_ = limit();
};

std::string said_by(const std::vector<std::string>& argv) {
  ForkServer server(argv);
  auto child = ChildProcess::spawn(server);
  EXPECT_TRUE(child) << child.error().message;
  std::string text;
  char byte = 0;
  for (pollfd ready{child->out(), POLLIN, 0}; poll(&ready, 1, 20'000) == 1;) {
    if (read(child->out(), &byte, 1) != 1) break;
    text += byte;
  }
  return text;
}

TEST_F(OpenFiles, TheLimitIsRaisedToTheHardOne) {
  raise_open_file_limit();
  EXPECT_EQ(limit().rlim_cur, former_.rlim_max);
  raise_open_file_limit();
  EXPECT_EQ(limit().rlim_cur, former_.rlim_max);
}

TEST_F(OpenFiles, AHandlerProcessGetsTheLimitThatTheWorkerWasStartedWith) {
  raise_open_file_limit();
  raise_open_file_limit();
  EXPECT_EQ(said_by({"/bin/sh", "-c", "ulimit -Sn"}), std::to_string(kStarted) + "\n");
  EXPECT_EQ(limit().rlim_cur, former_.rlim_max) << "the worker keeps its own";
}

}  // namespace
}  // namespace penstock
