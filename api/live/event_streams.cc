#include "api/live/event_streams.h"

#include <utility>
#include <vector>

namespace penstock {

bool EventStreams::add(Id id, const Caller& caller) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || streams_.size() >= kMaxStreams) return false;
  streams_[id] = caller;
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  changed_.notify_all();
  return true;
}

void EventStreams::remove(Id id) {
  const std::lock_guard lock(mutex_);
  streams_.erase(id);
}

void EventStreams::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  // From here on, add() starts no thread.
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void EventStreams::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait(lock, stop, [this] { return !streams_.empty(); });
    if (stop.stop_requested()) return;
    lock.unlock();
    send_all();
    lock.lock();
    changed_.wait_for(lock, stop, kEvery, [] { return false; });
  }
}

void EventStreams::send_all() {
  std::map<Id, Caller> streams;
  {
    const std::lock_guard lock(mutex_);
    streams = streams_;
  }
  // Callers that see the same queues get the same text, which is made once.
  std::map<std::vector<std::string>, std::string> texts;
  for (const auto& [id, caller] : streams) {
    const auto [text, is_new] = texts.try_emplace(caller.queues);
    if (is_new) text->second = text_(caller);
    push_(id, text->second);
  }
}

}  // namespace penstock
