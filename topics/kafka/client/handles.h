// Owners of librdkafka's handles, one unique_ptr alias per type, so that no handle outlives its
// client: a list or queue that is freed too late makes the destruction of the client hang forever.
//
// librdkafka's types stay inside topics/kafka/: only this folder's .cc files and private headers
// include this header.
#pragma once

#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace penstock::kafka {

template <auto Destroy>
struct Destroyer {
  template <typename T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};

// Destroying a client does not leave its group; the owner must do so before.
struct ClientDestroyer {
  void operator()(rd_kafka_t* client) const {
    rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  }
};

using ClientHandle = std::unique_ptr<rd_kafka_t, ClientDestroyer>;
using ConfHandle = std::unique_ptr<rd_kafka_conf_t, Destroyer<rd_kafka_conf_destroy>>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, Destroyer<rd_kafka_topic_destroy>>;
using QueueHandle = std::unique_ptr<rd_kafka_queue_t, Destroyer<rd_kafka_queue_destroy>>;
using EventHandle = std::unique_ptr<rd_kafka_event_t, Destroyer<rd_kafka_event_destroy>>;
using ErrorHandle = std::unique_ptr<rd_kafka_error_t, Destroyer<rd_kafka_error_destroy>>;
using HeadersHandle = std::unique_ptr<rd_kafka_headers_t, Destroyer<rd_kafka_headers_destroy>>;
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      Destroyer<rd_kafka_topic_partition_list_destroy>>;
using AdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, Destroyer<rd_kafka_AdminOptions_destroy>>;
using NewTopicHandle = std::unique_ptr<rd_kafka_NewTopic_t, Destroyer<rd_kafka_NewTopic_destroy>>;
using ConfigResource =
    std::unique_ptr<rd_kafka_ConfigResource_t, Destroyer<rd_kafka_ConfigResource_destroy>>;
using DeleteRecordsHandle =
    std::unique_ptr<rd_kafka_DeleteRecords_t, Destroyer<rd_kafka_DeleteRecords_destroy>>;
using GroupOffsetsHandle = std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t,
                                           Destroyer<rd_kafka_ListConsumerGroupOffsets_destroy>>;
using MetadataHandle =
    std::unique_ptr<const rd_kafka_metadata_t, Destroyer<rd_kafka_metadata_destroy>>;

[[nodiscard]] inline PartitionList partition_list(int capacity) {
  return PartitionList(rd_kafka_topic_partition_list_new(capacity));
}

// The size of the buffers for librdkafka's error messages.
inline constexpr std::size_t kErrorTextBytes = 512;

// For a request that somebody waits for while a worker runs.
inline constexpr int kRequestTimeoutMs = 12'000;

[[nodiscard]] inline AdminOptions admin_options(rd_kafka_t* client, rd_kafka_admin_op_t operation,
                                                int timeout_ms, std::uintptr_t opaque) {
  AdminOptions options(rd_kafka_AdminOptions_new(client, operation));
  std::array<char, kErrorTextBytes> text{};
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, text.data(), text.size());
  rd_kafka_AdminOptions_set_opaque(options.get(), reinterpret_cast<void*>(opaque));
  return options;
}

[[nodiscard]] inline std::uintptr_t opaque_of(rd_kafka_event_t* event) {
  return reinterpret_cast<std::uintptr_t>(rd_kafka_event_opaque(event));
}

}  // namespace penstock::kafka
