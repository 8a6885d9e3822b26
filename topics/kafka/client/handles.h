// Owners of librdkafka's handles, one unique_ptr alias per type, so that no handle outlives its
// client: a list or queue that is freed too late makes the destruction of the client hang forever.
//
// librdkafka's types stay inside topics/kafka/: only this folder's .cc files and private headers
// include this header.
#pragma once

#include <librdkafka/rdkafka.h>

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

}  // namespace penstock::kafka
