#include "api/live/history.h"

namespace penstock {
namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now >= before ? now - before : now;
}

std::uint64_t ended(const TaskCounters& counters) {
  return counters.succeeded + counters.dead + counters.cancelled + counters.expired;
}

}  // namespace

History::~History() {
  if (thread_.joinable()) thread_.request_stop();
}

void History::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void History::run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    add(source_.status(), std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()));
    never.wait_for(lock, stop, kLook, [] { return false; });
  }
}

void History::add(const std::vector<QueueStatus>& queues, Time now) {
  const std::lock_guard lock(mutex_);
  for (const QueueStatus& status : queues) {
    // Its figures are incomplete: the counters would go back and forth.
    if (status.silent_loops > 0) continue;
    if (!queues_.contains(status.queue) && queues_.size() >= kMaxQueues) continue;
    add(queues_[status.queue], status, now);
  }
}

void History::add(Queue& queue, const QueueStatus& status, Time now) {
  const Look look{now, status.counters.admitted, ended(status.counters), status.counters.failed};
  if (queue.looks.empty()) queue.step_began = look;
  queue.looks.push_back(look);
  while (queue.looks.size() > 2 && queue.looks[1].at <= now - kStep) queue.looks.pop_front();
  if (now < queue.step_began.at + kStep) return;
  queue.points.push_back({.at = now,
                          .in = since(look.in, queue.step_began.in),
                          .out = since(look.out, queue.step_began.out),
                          .failed = since(look.failed, queue.step_began.failed),
                          .running = status.running,
                          .jobs = status.job_rows,
                          .oldest_ready = status.oldest_ready});
  if (queue.points.size() > kMaxPoints) queue.points.pop_front();
  queue.step_began = look;
}

std::vector<History::Point> History::points(const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return {};
  return {found->second.points.begin(), found->second.points.end()};
}

History::Rates History::rates(const std::string& queue) const {
  const std::lock_guard lock(mutex_);
  const auto found = queues_.find(queue);
  if (found == queues_.end() || found->second.looks.size() < 2) return {};
  const Look &first = found->second.looks.front(), &last = found->second.looks.back();
  const double seconds = std::chrono::duration<double>(last.at - first.at).count();
  if (seconds <= 0) return {};
  return {static_cast<double>(since(last.in, first.in)) / seconds,
          static_cast<double>(since(last.out, first.out)) / seconds,
          static_cast<double>(since(last.failed, first.failed)) / seconds};
}

}  // namespace penstock
