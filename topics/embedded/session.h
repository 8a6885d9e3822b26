// A session of the embedded log; what it promises is in LogSession. One thread uses it; wake() may
// be called from any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/embedded/appends.h"
#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/engine.h"
#include "topics/embedded/group/membership.h"
#include "topics/embedded/reads.h"
#include "topics/log.h"

namespace penstock::embedded {

class Session final : public LogSession {
 public:
  Session(Engine& engine, SessionOptions options);
  ~Session() override;

  TopicId topic(std::string_view name) override;
  TopicId second_topic(std::string_view name) override;
  void join(TopicId topic, std::string_view group) override;
  void leave() override;
  void finish_revoke(PartitionId partition) override;
  void check_membership(PartitionId partition) override;
  void commit_offset(PartitionId partition, Offset next) override;
  void group_offset(PartitionId partition) override;
  void read(TopicPartition from, Offset position) override;
  void stop_reading(TopicPartition from) override { reads_.stop(from); }
  void bounds(TopicPartition of) override;
  bool append(Lane lane, TopicPartition to, const NewRecord& record, Ticket ticket) override;
  void renew(Lane lane) override { appends_.renew(lane); }
  void delete_records(TopicPartition of, Offset before) override;
  bool poll(LogListener& listener) override;
  void wait(std::chrono::nanoseconds at_most) override;
  void wake() override { mailbox_.wake(); }

 private:
  [[nodiscard]] TopicId handle(std::string_view name, bool second);

  struct NamedTopic {
    std::string name;
    bool second = false;
    Topic* topic = nullptr;  // set once it has been found
  };
  struct Joined {
    TopicId topic;
    std::string group;
    Coordinator::Seat seat;
  };
  [[nodiscard]] Topic* find(TopicId id);
  [[nodiscard]] Partition* find(TopicPartition of);
  [[nodiscard]] std::string missing(TopicPartition of) const;
  [[nodiscard]] bool has_something() const;

  bool tell_first(LogListener& listener);
  bool tell_group(LogListener& listener);
  bool tell_answers(LogListener& listener);

  Engine& engine_;
  const SessionOptions options_;
  Mailbox mailbox_;
  std::vector<NamedTopic> topics_;

  std::optional<Joined> joined_;
  bool left_ = false;
  Membership membership_;

  Reads reads_;
  Appends appends_;
  std::string encoded_;  // the record that append() is appending

  Answers answers_;
  std::size_t questions_in_flight_ = 0;
  std::vector<std::pair<TopicPartition, Result<Bounds>>> bounds_answers_;
  std::vector<std::pair<PartitionId, bool>> membership_answers_;
  std::vector<std::pair<PartitionId, Result<std::optional<Offset>>>> offset_answers_;
  std::vector<std::string> fatal_;
  std::vector<std::pair<TopicPartition, std::string>> refused_;  // reads through second handles
  bool told_connected_ = false;
  bool told_failed_ = false;
};

}  // namespace penstock::embedded
