#include "cli/produce/producer_sender.h"

#include <mutex>
#include <utility>

namespace penstock {
namespace {

inline constexpr std::chrono::milliseconds kLookEvery{200};

class ProducerSender final : public CommandSender {
 public:
  explicit ProducerSender(std::unique_ptr<Producer> producer) : producer_(std::move(producer)) {}

  Status send(const JobCommand& command) override {
    const auto record = record_of(command);
    // This ends even without Kafka, as does the loop in finish(): after the delivery timeout, every
    // record has its answer.
    while (!producer_->wait_for_space(command.account.size() + record.size(), kLookEvery)) {
    }
    // A bad command is refused inside the call; Kafka's answer comes later, for finish().
    producer_->send_raw(command.queue, command.account, record, [this](const Delivery& delivery) {
      if (delivery.failure) note(*delivery.failure);
    });
    return refused();
  }

  Status finish() override {
    while (!producer_->flush(kLookEvery)) {
    }
    const std::lock_guard lock(mutex_);
    if (failed_ == 0) return {};
    return failure(std::to_string(std::exchange(failed_, 0)) + " not acknowledged: " + first_);
  }

 private:
  void note(const Failure& failure) {
    const std::lock_guard lock(mutex_);
    if (failure.reason == FailureReason::kGaveUp) {
      if (failed_++ == 0) first_ = failure.message;
    } else {
      refused_ = failure.message;
    }
  }

  Status refused() {
    const std::lock_guard lock(mutex_);
    if (!refused_) return {};
    return failure(*std::exchange(refused_, std::nullopt));
  }

  std::mutex mutex_;
  std::size_t failed_ = 0;
  std::string first_;
  std::optional<std::string> refused_;
  const std::unique_ptr<Producer> producer_;  // last: its answers use the other members
};

}  // namespace

std::unique_ptr<CommandSender> make_producer_sender(std::unique_ptr<Producer> producer) {
  return std::make_unique<ProducerSender>(std::move(producer));
}

}  // namespace penstock
