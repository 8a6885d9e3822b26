#include "api/gateway/deliveries.h"

#include <utility>

namespace penstock {

DeliveryCallback Deliveries::callback(std::size_t index) {
  return
      [self = shared_from_this(), index](const Delivery& delivery) { self->set(index, delivery); };
}

void Deliveries::set(std::size_t index, Delivery delivery) {
  const std::lock_guard lock(mutex_);
  answers_[index] = std::move(delivery);
  if (--open_ == 0) changed_.notify_all();
}

const std::vector<Delivery>* Deliveries::wait(const std::function<bool()>& give_up) {
  constexpr std::chrono::milliseconds kLookEvery{100};
  std::unique_lock lock(mutex_);
  // Nobody notifies this object when the server stops, so `give_up` has to be asked.
  while (!changed_.wait_for(lock, kLookEvery, [this] { return open_ == 0; })) {
    if (give_up()) return nullptr;
  }
  return &answers_;
}

}  // namespace penstock
