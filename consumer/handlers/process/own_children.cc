#include "consumer/handlers/process/own_children.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "consumer/handlers/io/fd.h"

namespace penstock {
namespace {

constexpr std::size_t kListChunkBytes = 4096;

bool is_spared(std::span<const pid_t> spared, pid_t child) {
  return std::find(spared.begin(), spared.end(), child) != spared.end();
}

}  // namespace

// The list consists of decimal numbers, each followed by a blank. While others end, it may miss a
// child, which the next round finds.
std::optional<int> kill_children(std::span<const pid_t> spared) {
  const Fd list(open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC));
  if (!list.is_open()) return std::nullopt;
  int killed = 0;
  pid_t child = 0;
  char chunk[kListChunkBytes];
  for (ssize_t got = 0; (got = read(list.get(), chunk, sizeof chunk)) > 0;) {
    for (const char c : std::span(chunk, static_cast<std::size_t>(got))) {
      if (c >= '0' && c <= '9') {
        child = child * 10 + (c - '0');
        continue;
      }
      if (child > 0 && !is_spared(spared, child) && ::kill(child, SIGKILL) == 0) ++killed;
      child = 0;
    }
  }
  return killed;
}

pid_t reap_child(Wait wait, int* status) {
  pid_t child = 0;
  do {
    child = waitpid(-1, status, wait == Wait::kLook ? WNOHANG : 0);
  } while (child < 0 && errno == EINTR);
  return child;
}

}  // namespace penstock
