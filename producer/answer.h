// The way to answer a job: a callback or the promise of a future. Each answer is given exactly
// once, by any one thread.
#pragma once

#include <future>
#include <string>
#include <variant>

#include "penstock/producer.h"

namespace penstock {

using DeliveryAnswer = std::variant<DeliveryCallback, std::promise<Sent>>;

// Gives the answer. A promise takes its value out of `delivery`, or gets the exception that matches
// the failure's reason. Callbacks must not throw; an exception from a callback ends the process.
void give(DeliveryAnswer& answer, Delivery& delivery) noexcept;
void give(DeliveryAnswer& answer, Failure failure) noexcept;

}  // namespace penstock
