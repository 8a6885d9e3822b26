// A queue for one benchmark, under a prefix of its own: its topics exist from make() until the
// object is destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bench/raw/raw_producer.h"
#include "consumer/policy/policy.h"
#include "topics/log.h"
#include "topics/names.h"
#include "topics/values/result.h"

namespace penstock {

using Properties = std::map<std::string, std::string>;

// The text of a job record, padded to `bytes` (0: no padding).
struct BenchJob {
  std::string type = "noop";
  std::size_t number = 0;  // determines its id
  std::size_t bytes = 200;
  std::int64_t run_at_ms = 0;  // 0: now

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string id() const { return "j" + std::to_string(number); }
};

[[nodiscard]] std::string bench_account(std::size_t number);
// Of a queue with the type "noop", whose jobs do nothing.
[[nodiscard]] QueuePolicy noop_queue(std::string name, int partitions);

class BenchQueue {
 public:
  [[nodiscard]] static Result<std::unique_ptr<BenchQueue>> make(const Properties& properties,
                                                                QueuePolicy policy);
  ~BenchQueue();
  BenchQueue(const BenchQueue&) = delete;
  BenchQueue& operator=(const BenchQueue&) = delete;

  [[nodiscard]] const Properties& properties() const { return properties_; }
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] const QueuePolicy& policy() const { return policy_; }
  [[nodiscard]] const QueueNames& names() const { return names_; }

  struct Line {
    std::string account;
    BenchJob job;
  };
  using Lines = std::function<Line(std::size_t)>;
  // Produces `count` records and waits until they have been acknowledged.
  [[nodiscard]] Status fill(std::size_t count, const Lines& line) const;
  // The same through an existing producer, because the first records of a new one are slow.
  [[nodiscard]] static Status fill(RawProducer& producer, std::size_t count, const Lines& line);
  [[nodiscard]] Result<std::unique_ptr<RawProducer>> open_producer() const;

 private:
  BenchQueue(Properties properties, std::string prefix, QueuePolicy policy);

  Properties properties_;
  std::string prefix_;
  QueuePolicy policy_;
  QueueNames names_;
};

}  // namespace penstock
