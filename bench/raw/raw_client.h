// A librdkafka client for raw figures, and the owners of its handles. Used from one thread.
#pragma once

#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>
#include <string>

#include "topics/values/result.h"

namespace penstock {

template <auto Destroy>
struct RawDestroyer {
  template <typename T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};
using RawConf = std::unique_ptr<rd_kafka_conf_t, RawDestroyer<rd_kafka_conf_destroy>>;
using RawClient = std::unique_ptr<rd_kafka_t, RawDestroyer<rd_kafka_destroy>>;
using RawTopic = std::unique_ptr<rd_kafka_topic_t, RawDestroyer<rd_kafka_topic_destroy>>;
using RawQueue = std::unique_ptr<rd_kafka_queue_t, RawDestroyer<rd_kafka_queue_destroy>>;
using RawEvent = std::unique_ptr<rd_kafka_event_t, RawDestroyer<rd_kafka_event_destroy>>;

[[nodiscard]] Result<RawConf> raw_conf(const std::map<std::string, std::string>& properties);
// Takes ownership of the configuration.
[[nodiscard]] Result<RawClient> raw_client(rd_kafka_type_t type, RawConf conf);

}  // namespace penstock
