// What a handler process has started ends with it, however it ends and wherever it has hidden.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "consumer/handlers/exec/exec_executor.h"
#include "consumer/policy/error_pattern.h"
#include "handler_log.h"
#include "script.h"
#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

// Starts, before it serves requests, a daemon as programs make themselves into one: forked twice, in
// a session of its own, with none of the streams that it was given. It keeps the FIFO "open" open,
// and ends in five minutes where a test does not end it.
constexpr const char* kWithDaemon = R"py(
import os, signal, sys
has_said, says = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        fifo = os.open(os.path.join(os.path.dirname(__file__), "open"), os.O_WRONLY)
        os.write(2, b"daemon %d\n" % os.getpid())
        os.close(says)
        null = os.open("/dev/null", os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        signal.alarm(300)
        signal.pause()
    os._exit(0)
os.wait()
os.close(says)
os.read(has_said, 1)
)py";

// The same with a process that is always a new one: each forks and ends.
constexpr const char* kWithRunner = R"py(
import os, sys
has_said, says = os.pipe()
if os.fork() == 0:
    fifo = os.open(os.path.join(os.path.dirname(__file__), "open"), os.O_WRONLY)
    os.setsid()
    for step in range(20000):
        if os.fork():
            os._exit(0)
        if step == 50:
            os.write(2, b"runs\n")
            os.close(says)
    os._exit(0)
os.close(says)
os.read(has_said, 1)
)py";

std::string line_of(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) return line.substr(name.size());
  }
  return {};
}

pid_t parent_of(pid_t pid) {
  const std::string parent = line_of("/proc/" + std::to_string(pid) + "/status", "PPid:");
  return parent.empty() ? 0 : std::stoi(parent);
}

class ExecTree : public testing::Test {
 protected:
  // The handler's text goes before the script that serves requests.
  void with(const char* before) {
    script_.emplace((std::string(before) + kScript).c_str());
    const std::string fifo = script_->path().parent_path() / "open";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    fifo_ = Fd(open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    exec_.emplace(ExecHandler{script_->argv(), 1}, log_.sink());
  }
  void with_daemon() {
    with(kWithDaemon);
    daemon_ = log_.next_process("daemon ");
    child_pid_ = std::stoi(log_.next("pid "));
    child_ = open_pidfd(child_pid_);
  }
  // Nobody has the FIFO open any more.
  bool nothing_runs() {
    char byte = 0;
    return read(fifo_.get(), &byte, 1) == 0;
  }
  void start(std::uint64_t number, std::string args, Duration timeout = 60s) {
    AttemptRequest attempt = request(number, std::move(args));
    attempt.timeout = timeout;
    exec_->start(std::move(attempt), mailbox_);
  }

  std::optional<Script> script_;
  Fd fifo_;
  HandlerLog log_;
  TestMailbox mailbox_;
  pid_t child_pid_ = 0;
  Fd child_, daemon_;
  std::optional<ExecExecutor> exec_;  // goes first
};

TEST_F(ExecTree, EndsWithAnAttemptThatTimesOutAndBeforeItsOutcome) {
  with_daemon();
  start(1, R"({"then":"hang"})", 100ms);
  EXPECT_EQ(as<RetryLater>(mailbox_.outcome()).error, "timed out after 100ms");
  EXPECT_TRUE(has_ended(child_));
  EXPECT_TRUE(has_ended(daemon_));
}

TEST_F(ExecTree, EndsWithAnAttemptThatIsKilled) {
  with_daemon();
  start(1, R"({"then":"hang","log":"begun"})");
  log_.next("begun");
  exec_->kill(request(1).key);
  EXPECT_TRUE(ends(daemon_));
}

TEST_F(ExecTree, EndsWithAChildThatExitsAndBeforeItsOutcome) {
  with_daemon();
  start(1, R"({"then":"exit"})");
  EXPECT_TRUE(as<RetryLater>(mailbox_.outcome()).error.starts_with("handler process died: exit"));
  EXPECT_TRUE(has_ended(daemon_));
}

TEST_F(ExecTree, GoesOnWhileItsChildDoes) {
  with_daemon();
  start(1, R"({"lines":[{"ok":true}]})");
  as<Done>(mailbox_.outcome());
  start(2, R"({"lines":[{"ok":true}]})");
  as<Done>(mailbox_.outcome());
  EXPECT_FALSE(has_ended(daemon_));
}

TEST_F(ExecTree, EndsWithTheExecutor) {
  with_daemon();
  exec_.reset();
  EXPECT_TRUE(has_ended(daemon_));
  EXPECT_TRUE(nothing_runs());
}

TEST_F(ExecTree, EndsThoughItForksAllTheTime) {
  with(kWithRunner);
  log_.next("runs");
  EXPECT_FALSE(nothing_runs());
  exec_.reset();
  EXPECT_TRUE(nothing_runs());
}

// A worker in a process of its own, with one child of the script.
struct OtherWorker {
  // Holds the lock of a file, if one is named, with everything that it starts.
  explicit OtherWorker(const Script& script, const std::string& locked = {}) {
    int ends_of_pipe[2];
    EXPECT_EQ(pipe(ends_of_pipe), 0);
    said = Fd(ends_of_pipe[0]);
    Fd says(ends_of_pipe[1]);
    pid = fork();
    if (pid == 0) {
      const Fd lock(locked.empty() ? -1 : open(locked.c_str(), O_RDWR | O_CREAT, 0600));
      if (!locked.empty() && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) _exit(1);
      const auto say = [&](std::string_view line) {
        const std::string whole = std::string(line) + "\n";
        [[maybe_unused]] const auto written = ::write(says.get(), whole.data(), whole.size());
      };
      const ExecExecutor executor({script.argv(), 1}, say, lock.get());
      while (true) pause();
    }
    says.close();
    for (char byte = 0; std::count(lines.begin(), lines.end(), '\n') < 2; lines += byte)
      if (read(said.get(), &byte, 1) != 1) break;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2) << lines;
  }
  void kill() const {
    ::kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }

  pid_t pid = 0;
  Fd said;            // open as long as the worker may write to it
  std::string lines;  // the first two that the child wrote
};

// With kill -9, so that no code of the worker can end anything.
TEST_F(ExecTree, EndsWithAWorkerThatIsKilled) {
  with(kWithDaemon);  // makes the FIFO
  exec_.reset();
  const OtherWorker worker(*script_);
  const std::string& lines = worker.lines;
  const Fd child = open_pidfd(std::stoi(lines.substr(lines.find("pid ") + 4)));
  const Fd daemon = open_pidfd(std::stoi(lines.substr(lines.find("daemon ") + 7)));
  ASSERT_TRUE(child.is_open() && daemon.is_open());
  EXPECT_FALSE(has_ended(daemon));
  worker.kill();
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(daemon));
}

// Whether nobody holds the lock of the file.
bool is_free(const std::string& path) {
  const Fd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  return flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

// It has closed the file itself, and does not end with its input.
constexpr const char* kWithFilesClosed = R"py(
import os, signal
os.closerange(3, 256)
os.write(2, b"closed\npid %d\n" % os.getpid())
while True:
    signal.pause()
)py";

TEST_F(ExecTree, ALockIsHeldUntilNothingIsLeftOfAWorkerThatIsKilled) {
  script_.emplace(kWithFilesClosed);
  const std::string path = script_->path().parent_path() / "lock";
  const OtherWorker worker(*script_, path);
  const std::string& lines = worker.lines;
  const pid_t child = std::stoi(lines.substr(lines.find("pid ") + 4));
  const pid_t guardian = parent_of(child), server = parent_of(guardian);
  const Fd ended = open_pidfd(child);
  // Keeps the processes' group from becoming an orphan when the worker ends: the kernel would let
  // its stopped members go on.
  const pid_t anchor = fork();
  if (anchor == 0) {
    while (true) pause();
  }
  EXPECT_EQ(setpgid(anchor, server), 0);
  kill(guardian, SIGSTOP);  // so that it is late
  worker.kill();
  EXPECT_FALSE(has_ended(ended));
  EXPECT_FALSE(is_free(path));
  const Fd server_end = open_pidfd(server);
  kill(server, SIGKILL);
  EXPECT_TRUE(!server_end.is_open() || ends(server_end));
  EXPECT_FALSE(has_ended(ended));
  EXPECT_FALSE(is_free(path));
  const Fd guardian_end = open_pidfd(guardian);
  kill(guardian, SIGCONT);
  EXPECT_TRUE(!guardian_end.is_open() || ends(guardian_end));
  kill(anchor, SIGKILL);
  waitpid(anchor, nullptr, 0);
  EXPECT_TRUE(is_free(path));
  EXPECT_TRUE(has_ended(ended));
}

TEST_F(ExecTree, EndsWithAGuardianThatIsKilled) {
  with_daemon();
  start(1, R"({"then":"hang","log":"begun"})");
  log_.next("begun");
  const pid_t guardian = parent_of(child_pid_);
  ASSERT_NE(guardian, getpid());
  kill(guardian, SIGKILL);
  EXPECT_EQ(as<RetryLater>(mailbox_.outcome()).error_class, kExitedError);
  EXPECT_TRUE(has_ended(child_));
  EXPECT_TRUE(has_ended(daemon_));
  start(2, R"({"lines":[{"ok":true}]})");
  as<Done>(mailbox_.outcome());
}

TEST_F(ExecTree, EndsWithoutTheForkServerThatBeganIt) {
  with_daemon();
  const pid_t server = parent_of(parent_of(child_pid_));
  ASSERT_EQ(parent_of(server), getpid());
  const Fd handle = open_pidfd(server);
  kill(server, SIGKILL);
  start(1, R"({"then":"exit"})");
  as<RetryLater>(mailbox_.outcome());
  EXPECT_TRUE(has_ended(daemon_));
  start(2, R"({"lines":[{"ok":true}]})");
  as<Done>(mailbox_.outcome());
  EXPECT_TRUE(ends(handle));
}

// What systemd and a shell send to every process of a service or a job.
TEST_F(ExecTree, OutlivesSignalsThatAskAGuardianToEnd) {
  with_daemon();
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    kill(parent_of(child_pid_), signal);
    kill(parent_of(parent_of(child_pid_)), signal);
  }
  start(1, R"({"lines":[{"ok":true}]})");
  as<Done>(mailbox_.outcome());
  exec_.reset();
  EXPECT_TRUE(has_ended(daemon_));
}

int lowest_free_file() { return Fd(open("/dev/null", O_RDONLY | O_CLOEXEC)).get(); }

// No descriptor from `end` on can be opened.
class FewFiles {
 public:
  explicit FewFiles(int end) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{static_cast<rlim_t>(end), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(ExecTree, AChildThatFindsNoDescriptorFailsItsAttemptAndIsTriedAgain) {
  constexpr std::string_view kNone = "Too many open files", kDied = "handler process died";
  constexpr int kOwnFiles = 3;  // of an executor without children: its server, epoll and wake-up
  std::string last;
  std::uint64_t number = 0;
  // The sanitizer of object types needs descriptors for each type that it has not met before.
  exec_.emplace(ExecHandler{{"/bin/false"}, 1}, log_.sink());
  start(++number, "{}");
  EXPECT_TRUE(as<RetryLater>(mailbox_.outcome()).error.starts_with(kDied));
  exec_.reset();
  // Found before there is an executor: its thread starts the first child at once, and while a child
  // starts, it holds descriptors that are free again later.
  const int end = lowest_free_file() + kOwnFiles;
  for (int free = 0; free < 10; ++free) {
    exec_.emplace(ExecHandler{{"/bin/false"}, 1}, log_.sink());
    {
      const FewFiles files(end + free);
      for (int i = 0; i < 3; ++i) {
        start(++number, "{}");
        const std::string error = as<RetryLater>(mailbox_.outcome()).error;
        EXPECT_TRUE(error.ends_with(kNone) || error.starts_with(kDied)) << free << ": " << error;
        if (free == 0) last = error;
      }
    }
    start(++number, "{}");
    EXPECT_TRUE(as<RetryLater>(mailbox_.outcome()).error.starts_with(kDied));
    exec_.reset();
  }
  EXPECT_TRUE(last.ends_with(kNone)) << last;
}

}  // namespace
}  // namespace penstock
