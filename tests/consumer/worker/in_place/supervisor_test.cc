#include "consumer/worker/in_place/supervisor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "consumer/handlers/process/pidfd.h"

namespace penstock {
namespace {

// What the processes of a test share. Each change is told through the pipe.
struct Shared {
  std::atomic<int> starts, said;
  std::atomic<pid_t> worker;
};

class Supervision : public testing::Test {
 protected:
  Supervision() {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    shared_ = new (memory) Shared{};
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    told_ = Fd(ends[0]);
    tells_ = Fd(ends[1]);
  }
  ~Supervision() override { munmap(shared_, sizeof(Shared)); }

  // A supervisor whose worker gets the number of its start, from 1, and is to end by itself.
  template <typename Worker>
  void start(Worker worker) {
    supervisor_ = fork();
    if (supervisor_ != 0) return;
    const auto ended =
        supervise([&](std::string_view, const std::string&) { count(shared_->said); });
    if (ended) _exit(*ended);
    alarm(60);  // whatever happens to the supervisor
    shared_->worker = getpid();
    worker(count(shared_->starts));
    _exit(99);
  }
  [[nodiscard]] int status() const {
    int status = 0;
    waitpid(supervisor_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int count(std::atomic<int>& what) const {
    const int counted = ++what;
    EXPECT_EQ(write(tells_.get(), "", 1), 1);
    return counted;
  }
  template <typename Condition>
  void until(Condition condition) const {
    while (!condition()) {
      pollfd told{told_.get(), POLLIN, 0};
      ASSERT_EQ(poll(&told, 1, 10'000), 1) << "nothing is told any more";
      char byte = 0;
      ASSERT_EQ(read(told_.get(), &byte, 1), 1);
    }
  }

  Shared* shared_ = nullptr;
  Fd told_, tells_;
  pid_t supervisor_ = 0;
};

TEST_F(Supervision, AWorkerThatCrashesIsStartedAgain) {
  start([](int number) {
    if (number == 1) kill(getpid(), SIGKILL);
    _exit(number == 2 ? 1 : 0);
  });
  EXPECT_EQ(status(), 0);
  EXPECT_EQ(shared_->starts, 3);
  EXPECT_EQ(shared_->said, 2);
}

TEST_F(Supervision, WrongUsageIsNotTriedAgain) {
  start([](int) { _exit(2); });
  EXPECT_EQ(status(), 2);
  EXPECT_EQ(shared_->starts, 1);
}

TEST_F(Supervision, AStopIsPassedOnAndItsStatusIsTheWorkers) {
  start([this](int) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    count(shared_->said);
    _exit(sigwaitinfo(&stop, nullptr) == SIGTERM ? 5 : 6);
  });
  until([&] { return shared_->said == 1; });
  kill(supervisor_, SIGTERM);
  EXPECT_EQ(status(), 5);
  EXPECT_EQ(shared_->starts, 1);
}

TEST_F(Supervision, AStopThatEndsTheWorkerBySignalIsToldAsShellsDo) {
  start([](int) { pause(); });
  until([&] { return shared_->starts == 1; });
  kill(supervisor_, SIGINT);
  EXPECT_EQ(status(), 128 + SIGINT);
  EXPECT_EQ(shared_->starts, 1);
}

TEST_F(Supervision, AStopInThePauseAfterACrashEndsIt) {
  start([](int) { _exit(1); });
  until([&] { return shared_->said >= 3; });  // the pauses grow
  kill(supervisor_, SIGTERM);
  EXPECT_EQ(status(), 1);
}

TEST_F(Supervision, TheWorkerEndsWithItsSupervisor) {
  start([](int) { pause(); });
  until([&] { return shared_->starts == 1; });
  const Fd worker = open_pidfd(shared_->worker);
  ASSERT_TRUE(worker.is_open());
  kill(supervisor_, SIGKILL);
  EXPECT_EQ(status(), -SIGKILL);
  pollfd end{worker.get(), POLLIN, 0};
  EXPECT_EQ(poll(&end, 1, 10'000), 1);
  kill(shared_->worker, SIGKILL);  // if it has not ended
}

}  // namespace
}  // namespace penstock
