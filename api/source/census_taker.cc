#include "api/source/census_taker.h"

#include <algorithm>
#include <utility>

namespace penstock {

CensusTaker::~CensusTaker() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  changed_.notify_all();
}

JobCensus CensusTaker::latest(const std::string& name) {
  std::unique_lock lock(mutex_);
  Queue& queue = queues_[name];
  const bool first = queue.finished == Clock::time_point{};
  if (first || queue.finished + kFresh < Clock::now()) {
    queue.wanted = true;
    if (!thread_.joinable())
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    changed_.notify_all();
  }
  if (first) changed_.wait_for(lock, kFirstWait, [&] { return queue.latest.at != Time{}; });
  return queue.latest;
}

bool CensusTaker::pause(Clock::duration worked, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, worked * kRestPerWork, [] { return false; });
  return !stop.stop_requested();
}

void CensusTaker::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto wanted = std::find_if(queues_.begin(), queues_.end(),
                                     [](const auto& entry) { return entry.second.wanted; });
    if (wanted == queues_.end()) {
      changed_.wait(lock, stop, [this] {
        return std::any_of(queues_.begin(), queues_.end(),
                           [](const auto& entry) { return entry.second.wanted; });
      });
      continue;
    }
    const std::string name = wanted->first;
    wanted->second.wanted = false;
    lock.unlock();
    JobCensus census;
    const bool counted = count_(name, census, stop);
    lock.lock();
    Queue& queue = queues_[name];
    queue.finished = Clock::now();
    if (!counted) continue;
    census.at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    queue.latest = std::move(census);
    changed_.notify_all();
  }
}

}  // namespace penstock
