#include "api/gateway/job_sink.h"

#include <utility>

namespace penstock {

Producer* ProducerSink::producer(Failure* why_not) {
  const std::lock_guard lock(mutex_);
  // Once made, the producer stays, so callers use it without the lock.
  if (producer_) return &*producer_;
  try {
    return &producer_.emplace(make_());
  } catch (const ProducerError& error) {
    *why_not = {error.reason(), error.member(), error.what()};
    return nullptr;
  }
}

void ProducerSink::send(std::string_view queue, std::string_view account, std::string_view value,
                        DeliveryCallback done) {
  Failure why_not;
  Producer* const producer = this->producer(&why_not);
  if (!producer) return done({{}, why_not});
  producer->send_raw(queue, account, value, std::move(done));
}

bool ProducerSink::wait_for_space(std::size_t bytes, std::chrono::milliseconds at_most) {
  Failure why_not;
  Producer* const producer = this->producer(&why_not);
  return !producer || producer->wait_for_space(bytes, at_most);
}

}  // namespace penstock
