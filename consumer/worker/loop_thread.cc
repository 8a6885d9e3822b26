#include "consumer/worker/loop_thread.h"

namespace penstock {

LoopThread::LoopThread(LoopOptions options, std::unique_ptr<LogSession> session, LoopHost& host,
                       Clock& clock)
    : clock_(clock), session_(std::move(session)), loop_(std::move(options), *session_, host) {}

LoopThread::~LoopThread() { abandon(); }

void LoopThread::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void LoopThread::stop(Instant until) {
  // By the mailbox, because the loop belongs to its thread.
  loop_.mailbox().call([until](Loop& loop, Now) { loop.stop(until); });
}

void LoopThread::abandon() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  session_->wake();
  thread_.join();
}

std::string LoopThread::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void LoopThread::tell_trouble() {
  const std::lock_guard lock(mutex_);
  // Compared first, because this runs after every pass and the text rarely changes.
  if (trouble_ != loop_.trouble()) trouble_ = loop_.trouble();
}

void LoopThread::run(const std::stop_token& stop) {
  while (!loop_.stopped() && !stop.stop_requested()) {
    const auto idle = loop_.idle_for(clock_.now());
    if (idle.count() > 0) session_->wait(idle);
    loop_.take_posted();
    loop_.pass(clock_.now());
    all_run_.store(loop_.all_run(), std::memory_order_relaxed);
    tell_trouble();
  }
  // Before stopped_, which tells other threads that cut_off_ may be read.
  cut_off_.store(loop_.cut_off());
  stopped_.store(true);
}

}  // namespace penstock
