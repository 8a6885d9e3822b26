#include "bench/failover/start_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace penstock {
namespace {

constexpr int kHandlers = 8;
constexpr int kLookEveryMs = 50;
// A line is written at once, so lines of several shells do not mix.
constexpr const char* kNoteAndAnswer =
    R"(exec 3>>"$1"
while IFS= read -r request; do
  account=${request#*\"account\":\"}
  token=${request#*\"token\":\"}
  echo "$0 ${account%%\"*}" >&3
  echo "{\"token\":\"${token%%\"*}\",\"ok\":true}"
done)";

}  // namespace

Result<std::unique_ptr<StartPipe>> StartPipe::open(const std::string& directory) {
  const std::string path = directory + "/starts";
  if (mkfifo(path.c_str(), 0600) != 0) return failure("cannot make a named pipe at " + path);
  // Also for writing, so that reading never meets an end while no shell has the pipe open.
  const int file = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return failure("cannot open the named pipe at " + path);
  return std::unique_ptr<StartPipe>(new StartPipe(path, file));
}

StartPipe::StartPipe(std::string path, int file)
    : path_(std::move(path)),
      file_(file),
      reader_([this](const std::stop_token& stop) { read(stop); }) {}

StartPipe::~StartPipe() {
  reader_.request_stop();
  reader_.join();
  close(file_);
}

nlohmann::json StartPipe::handler(int worker) const {
  return {{"exec", {"/bin/sh", "-c", kNoteAndAnswer, std::to_string(worker), path_}},
          {"children", kHandlers}};
}

std::vector<JobStart> StartPipe::starts() {
  const std::lock_guard lock(mutex_);
  return starts_;
}

void StartPipe::forget_before(SteadyClock::time_point at) {
  const std::lock_guard lock(mutex_);
  std::erase_if(starts_, [at](const JobStart& start) { return start.at < at; });
}

void StartPipe::read(const std::stop_token& stop) {
  std::string text;
  while (!stop.stop_requested()) {
    pollfd ready{file_, POLLIN, 0};
    if (poll(&ready, 1, kLookEveryMs) <= 0) continue;
    char bytes[4096];
    const ssize_t got = ::read(file_, bytes, sizeof bytes);
    if (got <= 0) continue;
    const auto now = SteadyClock::now();
    text.append(bytes, static_cast<std::size_t>(got));
    const std::lock_guard lock(mutex_);
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      std::istringstream line(text.substr(0, end));
      JobStart start{now};
      if (line >> start.worker >> start.partition) starts_.push_back(start);
    }
  }
}

}  // namespace penstock
