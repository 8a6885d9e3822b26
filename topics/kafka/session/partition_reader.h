// Reads partitions from exact offsets, without a group. One client serves all reads; its records
// arrive in one queue and are passed on in runs of one partition.
//
// What always holds: after stop(), and after a new read from another offset, no record of the
// earlier read is passed on, not even from the batch that is being processed. Belongs to one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/kafka/client/client.h"

namespace penstock::kafka {

class PartitionReader {
 public:
  // What cannot be read is fatal, but through second handles each read is refused alone.
  enum class Handles : std::uint8_t { kFirst, kSecond };
  PartitionReader(std::unique_ptr<Client> client, const Wakeup& wakeup, Handles handles);
  ~PartitionReader();
  PartitionReader(const PartitionReader&) = delete;
  PartitionReader& operator=(const PartitionReader&) = delete;

  [[nodiscard]] Client& client() const { return *client_; }

  void read(TopicPartition from, const std::string& topic, Offset position);
  void stop(TopicPartition from);

  // Topics that an answer since the last call has called unknown. Their reads are suspended until
  // resume(), which is called when the topic exists after all, with its number of partitions.
  [[nodiscard]] std::vector<std::string> take_suspects() { return std::exchange(suspects_, {}); }
  void resume(const std::string& topic, int partitions, LogListener& listener);
  // The topic does not exist: its reads through second handles end.
  void refuse_all(const std::string& topic, const std::string& detail, LogListener& listener);
  // The topic has been created again: its reads end as out of range.
  void expel(const std::string& topic, LogListener& listener);

  // Passes on at most kMaxRecordsPerPoll records.
  bool poll(LogListener& listener);
  [[nodiscard]] bool has_records() const { return rd_kafka_queue_length(queue_.get()) > 0; }

 private:
  struct Reading {
    rd_kafka_topic_t* topic = nullptr;
    std::string name;
    bool active = false;
    bool held = false;  // suspended until it is known whether the topic exists
    Offset next{};      // no record below it is passed on
    // the batch during which this read began; the records in that batch are not for this read
    std::uint64_t begun_in = 0;
  };
  using Messages = std::span<rd_kafka_message_t* const>;

  std::size_t poll_batch(LogListener& listener);
  void hand_on(Messages batch, LogListener& listener);
  void hand_on_run(Reading& reading, TopicPartition from, Messages run, LogListener& listener);
  void add_record(const rd_kafka_message_t& message);
  void add_headers(const rd_kafka_headers_t* headers);
  void hand_on_complaints(LogListener& listener);
  [[nodiscard]] std::optional<TopicPartition> subject_of(const Complaint& complaint) const;
  void refuse(Reading& reading, TopicPartition from, const std::string& text,
              LogListener& listener);
  void tell_refused(TopicPartition from, const std::string& detail, LogListener& listener) const;
  void hold(Reading& reading, TopicPartition from);
  [[nodiscard]] std::vector<TopicPartition> readings_of(const std::string& topic) const;
  void hand_on_error(Reading& reading, TopicPartition from, const rd_kafka_message_t& message,
                     LogListener& listener);
  [[nodiscard]] bool concerns(const Reading& reading) const {
    return reading.active && reading.begun_in != batch_;
  }

  std::unique_ptr<Client> client_;
  const Handles handles_;
  QueueHandle queue_;
  std::map<TopicPartition, Reading> readings_;
  std::vector<std::pair<TopicPartition, std::string>> refused_;  // reads that could not be started
  std::vector<std::string> suspects_;
  std::uint64_t batch_ = 0;  // odd while a batch is being passed on
  std::vector<rd_kafka_message_t*> messages_;
  std::size_t batch_size_;  // at most that of messages_
  std::vector<LogRecord> records_;
  std::vector<HeaderView> headers_;
  std::vector<std::size_t> header_ends_;  // per record; used only once a record has headers
};

}  // namespace penstock::kafka
