// What handler processes write to standard error, for tests that wait for a line of it, and for the
// end of the processes that such lines name.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/handlers/exec/exec_child.h"
#include "consumer/handlers/process/pidfd.h"
#include "test_mailbox.h"

namespace penstock {

class HandlerLog {
 public:
  LineSink sink() {
    return [this](std::string_view line) {
      {
        const std::lock_guard lock(mutex_);
        lines_.emplace_back(line);
      }
      changed_.notify_all();
    };
  }
  // The first line not yet taken that begins so, without that beginning.
  std::string next(std::string_view beginning) {
    std::unique_lock lock(mutex_);
    std::string found;
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return take(beginning, found); }))
        << "no line \"" << beginning << "\" came";
    return found;
  }
  // A handle on the process that the next such line names.
  Fd next_process(std::string_view beginning = "pid ") {
    const std::string pid = next(beginning);
    return pid.empty() ? Fd() : open_pidfd(std::stoi(pid));
  }

 private:
  bool take(std::string_view beginning, std::string& found) {
    for (auto it = lines_.begin(); it != lines_.end(); ++it) {
      if (!it->starts_with(beginning)) continue;
      found = it->substr(beginning.size());
      lines_.erase(it);
      return true;
    }
    return false;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

inline bool ends_within(const Fd& process, std::chrono::milliseconds patience) {
  pollfd waited{process.get(), POLLIN, 0};
  return process.is_open() && poll(&waited, 1, static_cast<int>(patience.count())) == 1;
}
inline bool ends(const Fd& process) { return ends_within(process, kPatience); }
inline bool has_ended(const Fd& process) {
  return ends_within(process, std::chrono::milliseconds(0));
}

}  // namespace penstock
