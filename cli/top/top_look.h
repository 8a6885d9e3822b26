// Asks a worker for what `penstock top` shows, once per second, on a thread of its own: a worker that
// does not answer delays no key. take() and stop() may be called from any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/remote/worker_client.h"
#include "cli/top/top_screen.h"

namespace penstock {

// One look. After an error, what was known before, and the trouble.
[[nodiscard]] TopStatus look(WorkerClient& worker, TopStatus before);

class TopLook {
 public:
  static constexpr std::chrono::seconds kEvery{1};
  static constexpr std::chrono::seconds kPatience{5};

  // `on_news` is called on the thread.
  TopLook(WorkerClient worker, std::function<void()> on_news);
  ~TopLook();

  // The latest status, if there is a new one.
  [[nodiscard]] std::optional<TopStatus> take();

 private:
  void run(const std::stop_token& stop);

  WorkerClient worker_;
  const std::function<void()> on_news_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<TopStatus> news_;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace penstock
