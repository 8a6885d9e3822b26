// Tells the sender of a report that the report no longer waits: the loop has taken it, or has
// dropped it. Called once, when the object ends, on the thread that ends it. Can be moved, but not
// copied.
#pragma once

#include <functional>
#include <utility>

namespace penstock {

class Receipt {
 public:
  Receipt() = default;
  // `give` may be called at any later time: it owns what it touches.
  explicit Receipt(std::function<void()> give) : give_(std::move(give)) {}
  Receipt(Receipt&& other) noexcept : give_(std::exchange(other.give_, nullptr)) {}
  Receipt& operator=(Receipt&& other) noexcept {
    std::swap(give_, other.give_);
    return *this;
  }
  ~Receipt() {
    if (give_) give_();
  }

 private:
  std::function<void()> give_;
};

}  // namespace penstock
