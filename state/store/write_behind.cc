#include "state/store/write_behind.h"

#include <utility>

namespace penstock {

Status WriteBehind::Line::add(std::string_view rows, const LogPosition& position) {
  std::unique_lock lock(behind_.mutex_);
  // Bounds the memory of a loop that commits faster than RocksDB writes.
  behind_.written_.wait(lock, [this] { return waiting_.size() < kMaxWaiting; });
  if (!outcome_) return outcome_;
  waiting_.push_back({std::string(rows), position});
  ++taken_;
  // The line is in the queue already, or write() will put it there: a line must not be in it twice,
  // since its commits are written in order.
  if (waiting_.size() > 1 || behind_.writing_ == this) return {};
  behind_.ready_.push_back(this);
  behind_.wanted_.notify_one();
  return {};
}

Status WriteBehind::Line::finish() {
  std::unique_lock lock(behind_.mutex_);
  // An empty line is not enough: its last commits may just be on their way to the sink.
  behind_.written_.wait(lock, [this] { return waiting_.empty() && behind_.writing_ != this; });
  return outcome_;
}

void WriteBehind::finish() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this] { return ready_.empty() && !writing_; });
}

WriteBehind::WriteBehind() : thread_([this] { run(); }) {}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  wanted_.notify_one();
  thread_.join();
}

void WriteBehind::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait(lock, [this] { return has_ended_ || !ready_.empty(); });
    // Even at the end, everything that is waiting is written first.
    if (ready_.empty()) return;
    Line& line = *ready_.front();
    ready_.pop_front();
    write(line, lock);
  }
}

void WriteBehind::write(Line& line, std::unique_lock<std::mutex>& lock) {
  const std::vector<CountedCommit> commits = std::exchange(line.waiting_, {});
  writing_ = &line;
  const bool goes_on = line.outcome_.has_value();
  // The sink writes to the disk. Loops may add commits meanwhile.
  lock.unlock();
  Status outcome;
  if (goes_on) outcome = line.sink_.write(commits);
  lock.lock();
  if (!outcome) line.outcome_ = outcome;
  // After an error, the count stays behind for good, so the view goes on showing rows that are not
  // in the store.
  if (line.outcome_) line.written_.fetch_add(commits.size(), std::memory_order_release);
  writing_ = nullptr;
  // At the end of the queue, so that a busy partition does not keep the others waiting.
  if (!line.waiting_.empty()) ready_.push_back(&line);
  written_.notify_all();
}

}  // namespace penstock
