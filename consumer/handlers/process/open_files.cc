#include "consumer/handlers/process/open_files.h"

#include <sys/resource.h>

#include <atomic>

namespace penstock {
namespace {

// The soft limit before it was raised; 0 if it was not raised.
std::atomic<rlim_t> started_with = 0;
static_assert(std::atomic<rlim_t>::is_always_lock_free, "read between vfork and exec");

void set_limit(rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  setrlimit(RLIMIT_NOFILE, &limit);  // if it is refused, the old limit stays, which is not an error
}

}  // namespace

void raise_open_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  started_with = limit.rlim_cur;
  set_limit(limit.rlim_max, limit.rlim_max);
}

void restore_open_file_limit() {
  rlimit limit{};
  const rlim_t soft = started_with;
  if (soft == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  set_limit(soft, limit.rlim_max);
}

}  // namespace penstock
