#include "tests/robustness/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};

void redirect(int descriptor, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
  close(file);
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const Files& files) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_ = fork();
  PENSTOCK_CHECK(pid_ >= 0, "a process can be made");
  if (pid_ == 0) {
    redirect(STDOUT_FILENO, files.out);
    redirect(STDERR_FILENO, files.err);
    execv(words.front(), words.data());
    _exit(127);
  }
  descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  PENSTOCK_CHECK(descriptor_ >= 0, "a pidfd can be had");
}

Process::~Process() {
  kill();
  close(descriptor_);
}

void Process::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

void Process::kill() {
  signal(SIGKILL);
  static_cast<void>(wait(std::chrono::minutes(1)));
}

std::optional<int> Process::wait(std::chrono::milliseconds at_most) {
  if (status_) return status_;
  pollfd ended{descriptor_, POLLIN, 0};
  if (poll(&ended, 1, static_cast<int>(at_most.count())) <= 0) return std::nullopt;
  int status = 0;
  PENSTOCK_CHECK(waitpid(pid_, &status, 0) == pid_, "a child's status is its parent's to have");
  status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status_;
}

bool Process::runs_until(const std::function<bool()>& condition, std::chrono::seconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  while (!condition()) {
    if (wait(kLookEvery) || std::chrono::steady_clock::now() >= until) return false;
  }
  return true;
}

}  // namespace penstock
