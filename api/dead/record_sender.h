// Appends records to a queue's topic as they are, with the headers that are reserved for Penstock,
// which a Producer refuses. Each goes to the partition of its account.
//
// Blocks: send() while too much is unanswered, finish() until everything is answered. Used from one
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

struct ResendRecord {
  std::string account;
  std::string value;
  std::vector<Header> headers;
};

class RecordSender final : private LogListener {
 public:
  static constexpr std::size_t kMaxUnanswered = 10'000;
  static constexpr std::chrono::seconds kPatience{30};  // without any answer

  // Fails if there is no such topic.
  [[nodiscard]] static Result<std::unique_ptr<RecordSender>> open(Log& log, std::string topic);

  // Sends records that belong together, in this order. An error: it, or an earlier one, has not
  // been acknowledged; nothing more is sent.
  [[nodiscard]] Status send(const std::vector<ResendRecord>& together);
  // Waits for all answers.
  [[nodiscard]] Status finish();
  // How many calls of send() have not been acknowledged as a whole; call it after finish().
  [[nodiscard]] std::uint64_t failed() const;

 private:
  using Clock = std::chrono::steady_clock;

  RecordSender(std::unique_ptr<LogSession> session, std::string topic, int partitions);
  [[nodiscard]] Status append(const ResendRecord& record);
  template <typename Done>
  [[nodiscard]] Status poll_until(Done done);

  void on_appended(Lane lane, Ticket ticket, const Appended& result) override;
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override { error_ = detail; }
  void on_assigned(std::span<const PartitionId>) override {}
  void on_revoked(std::span<const PartitionId>) override {}
  void on_lost(std::span<const PartitionId>) override {}
  void on_records(TopicPartition, std::span<const LogRecord>) override {}
  void on_out_of_range(TopicPartition, Offset) override {}
  void on_bounds(TopicPartition, const Result<Bounds>&) override {}
  void on_membership(PartitionId, bool) override {}
  void on_deleted(TopicPartition, const Status&) override {}

  const std::unique_ptr<LogSession> session_;
  const std::string topic_;
  const int partitions_;
  std::uint64_t last_ = 0;             // the number of the last send()
  std::multiset<std::uint64_t> open_;  // the send() of each unanswered record
  std::set<std::uint64_t> failed_;
  std::string error_;    // the first: nothing more is sent
  std::string trouble_;  // that the session recovers from
  Clock::time_point last_answer_;
};

}  // namespace penstock
