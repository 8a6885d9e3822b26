// How a job is answered: a callback or a future's promise. Given exactly once.
#pragma once

#include <future>
#include <string>
#include <variant>

#include "penstock/producer.h"

namespace penstock {

using DeliveryAnswer = std::variant<DeliveryCallback, std::promise<Sent>>;

// What a promise takes is moved out of the delivery. A promise gets the exception that belongs to
// the failure's reason. Callbacks must not throw: one that does ends the process.
void give(DeliveryAnswer& answer, Delivery& delivery) noexcept;
void give(DeliveryAnswer& answer, Failure failure) noexcept;

}  // namespace penstock
