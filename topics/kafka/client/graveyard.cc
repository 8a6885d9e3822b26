#include "topics/kafka/client/graveyard.h"

namespace penstock::kafka {

Graveyard::~Graveyard() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Graveyard::bury(std::unique_ptr<Client> client) {
  // Nobody polls this queue any more, so its events must not wake the session either.
  Wakeup::unwatch(client->queue());
  const std::lock_guard lock(mutex_);
  buried_.push_back(std::move(client));
  if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
  changed_.notify_one();
}

void Graveyard::set_held(bool held) {
  const std::lock_guard lock(mutex_);
  held_ = held;
  if (!held && !buried_.empty()) changed_.notify_one();
}

void Graveyard::run(const std::stop_token& stop) {
  while (true) {
    std::unique_ptr<Client> next;
    {
      std::unique_lock lock(mutex_);
      // After a request to stop, wait() still returns true while there are clients left, so all of
      // them are destroyed before the thread ends.
      if (!changed_.wait(lock, stop, [this] { return !held_ && !buried_.empty(); })) return;
      next = std::move(buried_.front());
      buried_.pop_front();
    }
    // Without the lock, here and in the destructor of `next`: both can block for seconds, and
    // bury() must not wait for them.
    next->leave_group();
  }
}

}  // namespace penstock::kafka
