#include "consumer/worker/in_place/stop_signals.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/consumer/loop/flag.h"

namespace penstock {
namespace {

// To the process: whichever of its threads may have it.
void send_to_all(int signal) { kill(getpid(), signal); }

// A thread of the program's own, which was there before anything of ours.
class OlderThread {
 public:
  ~OlderThread() { ends_.set(); }
  void gets(int signal) { pthread_kill(thread_.native_handle(), signal); }

 private:
  Flag ends_;
  std::jthread thread_{[this] { ends_.wait(); }};
};

TEST(StopSignals, AnyThreadMayGetThem) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    OlderThread thread;
    Flag asked;
    StopSignals signals;
    signals.on_first([&] { asked.set(); });
    thread.gets(signal);
    EXPECT_TRUE(asked.wait()) << signal;
  }
}

TEST(StopSignals, WhatCameBeforeTheActionIsToldToIt) {
  StopSignals signals;
  send_to_all(SIGTERM);
  Flag asked;
  signals.on_first([&] { asked.set(); });
  EXPECT_TRUE(asked.wait());
}

TEST(StopSignals, EachOfSeveralHearsOfThem) {
  Flag one, two;
  StopSignals first, second;
  first.on_first([&] { one.set(); });
  second.on_first([&] { two.set(); });
  send_to_all(SIGINT);
  EXPECT_TRUE(one.wait());
  EXPECT_TRUE(two.wait());
}

TEST(StopSignals, TheLastOneLeavesTheSignalsAsTheyWere) {
  struct sigaction before = {}, after = {};
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &before), 0);
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  { const StopSignals signals; }
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  EXPECT_EQ(sigismember(&mask_after, SIGTERM), sigismember(&mask_before, SIGTERM));
}

// What a process leaves with that gets these signals one after the other, each once the one before
// has been taken.
int status_after(std::initializer_list<int> signals, std::chrono::milliseconds together = {}) {
  const pid_t child = fork();
  if (child == 0) {
    Flag asked;
    StopSignals stop(together);
    stop.on_first([&] { asked.set(); });
    for (const int signal : signals) {
      send_to_all(signal);
      asked.wait();
    }
    // A second one that leaves does so on another thread.
    if (std::count(signals.begin(), signals.end(), SIGHUP) < 2 && signals.size() > 1) pause();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(StopSignals, ASecondOrderLeavesAtOnce) {
  EXPECT_EQ(status_after({SIGTERM, SIGTERM}), 1);
  EXPECT_EQ(status_after({SIGHUP, SIGINT, SIGTERM}), 1);
}

// As a service's supervisor passes on what all of the service's processes get.
TEST(StopSignals, OrdersThatComeTogetherAreOne) {
  EXPECT_EQ(status_after({SIGTERM, SIGTERM, SIGHUP, SIGHUP}, std::chrono::minutes(1)), 7);
}

TEST(StopSignals, ATerminalThatClosesNeverCutsAStopShort) {
  EXPECT_EQ(status_after({SIGTERM, SIGHUP, SIGHUP}), 7);
  EXPECT_EQ(status_after({SIGHUP, SIGHUP, SIGHUP}), 7);
}

TEST(StopSignals, AHangUpThatIsIgnoredStaysSo) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN);
    const StopSignals signals;
    struct sigaction now = {};
    sigaction(SIGHUP, nullptr, &now);
    _exit(now.sa_handler == SIG_IGN ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace penstock
