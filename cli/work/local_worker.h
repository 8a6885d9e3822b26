// A worker and a producer in this process, over one log: what `dev` and `demo` run on. The log is
// the embedded one, so that nothing else is needed; or Kafka, where brokers are named.
//
// Made and destroyed by one thread. The producer and what Runtime allows may be used from any.
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
  // Opens the embedded log under the config's state_dir, makes the topics of its queues, and opens
  // the worker. Where the process dies, all of it goes on from there with the next open.
  [[nodiscard]] static Result<std::unique_ptr<LocalWorker>> open_embedded_in(RuntimeOptions options,
                                                                             Runtime::Sink sink);
  // The same over a log and a producer that are there; the topics are made or mended as well.
  [[nodiscard]] static Result<std::unique_ptr<LocalWorker>> open_on(
      std::unique_ptr<Log> log, std::unique_ptr<Producer> producer, RuntimeOptions options,
      Runtime::Sink sink);

  [[nodiscard]] Runtime& runtime() { return runtime_; }
  [[nodiscard]] Producer& producer() { return *producer_; }
  // Makes further producers on the embedded log, for the HTTP interface. They throw ProducerError
  // when the log cannot be opened.
  [[nodiscard]] std::function<Producer()> make_producer();

 private:
  LocalWorker(RuntimeOptions options, std::unique_ptr<Log> log, Runtime::Sink sink)
      : runtime_(std::move(options), std::move(log), std::move(sink)) {}

  Runtime runtime_;
  std::unique_ptr<Producer> producer_;  // goes before the log, which is the runtime's
};

}  // namespace penstock
