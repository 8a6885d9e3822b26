#include "producer/answer.h"

#include <exception>
#include <utility>

namespace penstock {
namespace {

std::exception_ptr to_exception(Failure failure) {
  switch (failure.reason) {
    case FailureReason::kBadJob:
      return std::make_exception_ptr(BadJob(std::move(failure)));
    case FailureReason::kBufferFull:
      return std::make_exception_ptr(BufferFull(std::move(failure)));
    case FailureReason::kGaveUp:
      return std::make_exception_ptr(GaveUp(std::move(failure)));
    case FailureReason::kBadOptions:
      break;
  }
  return std::make_exception_ptr(ProducerError(std::move(failure)));
}

}  // namespace

void give(DeliveryAnswer& answer, Delivery& delivery) noexcept {
  if (const auto* callback = std::get_if<DeliveryCallback>(&answer)) {
    // An empty callback says that the sender does not want to know.
    if (*callback) (*callback)(delivery);
    return;
  }
  auto& promise = std::get<std::promise<Sent>>(answer);
  if (delivery.failure) {
    promise.set_exception(to_exception(std::move(*delivery.failure)));
  } else {
    promise.set_value(std::move(delivery.sent));
  }
}

void give(DeliveryAnswer& answer, Failure failure) noexcept {
  Delivery delivery{.sent = {}, .failure = std::move(failure)};
  give(answer, delivery);
}

}  // namespace penstock
