// A worker and a producer in this process, sharing one log: `dev` and `demo` run on it. The log is
// the embedded one, which needs nothing else, or Kafka if brokers are named.
//
// Made and destroyed by one thread. The producer, and the functions of Runtime that allow it, may
// be used from any.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "consumer/worker/runtime.h"
#include "penstock/producer.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock {

class LocalWorker {
 public:
  // Opens the embedded log under the config's state_dir, creates the topics of its queues, and
  // opens the worker. After a crash, the next open continues where the process stopped.
  [[nodiscard]] static Result<std::unique_ptr<LocalWorker>> open_embedded_in(RuntimeOptions options,
                                                                             Runtime::Sink sink);
  // The same with an existing log and producer; also creates and repairs the topics.
  [[nodiscard]] static Result<std::unique_ptr<LocalWorker>> open_on(
      std::unique_ptr<Log> log, std::unique_ptr<Producer> producer, RuntimeOptions options,
      Runtime::Sink sink);

  [[nodiscard]] Runtime& runtime() { return runtime_; }
  [[nodiscard]] Producer& producer() { return *producer_; }
  // Makes further producers on the embedded log, for the HTTP interface. They throw ProducerError
  // if the log cannot be opened.
  [[nodiscard]] std::function<Producer()> make_producer();

 private:
  LocalWorker(RuntimeOptions options, std::unique_ptr<Log> log, Runtime::Sink sink)
      : runtime_(std::move(options), std::move(log), std::move(sink)) {}

  Runtime runtime_;
  std::unique_ptr<Producer> producer_;  // destroyed before the log, which belongs to the runtime
};

}  // namespace penstock
