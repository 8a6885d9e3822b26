// A session of the embedded log; what it promises is in LogSession. One thread uses it; wake() may
// be called from any.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/disk/reader.h"
#include "topics/embedded/engine.h"
#include "topics/embedded/group/membership.h"
#include "topics/log.h"

namespace penstock::embedded {

// How much of one partition a poll shows before it turns to the next.
inline constexpr std::size_t kMaxRecordsPerVisit = 1024;
inline constexpr std::size_t kMaxBytesPerPoll = 4 << 20;

class Session final : public LogSession {
 public:
  Session(Engine& engine, SessionOptions options);
  ~Session() override;

  TopicId topic(std::string_view name) override;
  void join(TopicId topic, std::string_view group) override;
  void leave() override;
  void finish_revoke(PartitionId partition) override;
  void check_membership(PartitionId partition) override;
  void commit_offset(PartitionId partition, Offset next) override;
  void group_offset(PartitionId partition) override;
  void read(TopicPartition from, Offset position) override;
  void stop_reading(TopicPartition from) override;
  void bounds(TopicPartition of) override;
  bool append(Lane lane, TopicPartition to, const NewRecord& record, Ticket ticket) override;
  void renew(Lane lane) override;
  void delete_records(TopicPartition of, Offset before) override;
  bool poll(LogListener& listener) override;
  void wait(std::chrono::nanoseconds at_most) override;
  void wake() override { mailbox_.wake(); }

 private:
  struct NamedTopic {
    std::string name;
    Topic* topic = nullptr;  // set once it has been found
  };
  struct Joined {
    TopicId topic;
    std::string group;
    Coordinator::Seat seat;
  };
  // What a poll may still show.
  struct Budget {
    std::size_t records = kMaxRecordsPerPoll;
    std::size_t bytes = kMaxBytesPerPoll;

    [[nodiscard]] bool spent() const { return records == 0 || bytes == 0; }
  };

  [[nodiscard]] Topic* find(TopicId id);
  [[nodiscard]] Partition* find(TopicPartition of);
  [[nodiscard]] std::string missing(TopicPartition of) const;
  [[nodiscard]] bool room_for_append(Lane lane) const;
  void refuse_append(const AppendId& id, std::string reason, Refusal refusal);
  [[nodiscard]] bool has_something() const;

  bool tell_first(LogListener& listener);
  bool tell_group(LogListener& listener);
  bool tell_appends(LogListener& listener);
  bool tell_answers(LogListener& listener);
  bool tell_records(LogListener& listener);
  bool visit(TopicPartition from, LogListener& listener, Budget& budget);
  bool show_records(TopicPartition from, LogListener& listener, Budget& budget, std::size_t most);
  std::map<TopicPartition, Reader>::iterator after(TopicPartition last);

  Engine& engine_;
  const SessionOptions options_;
  Mailbox mailbox_;
  std::vector<NamedTopic> topics_;

  std::optional<Joined> joined_;
  bool left_ = false;
  Membership membership_;

  std::map<TopicPartition, Reader> readers_;
  TopicPartition last_visited_;
  RecordViews views_;

  std::array<std::uint32_t, 2> lane_incarnations_{};
  std::size_t appends_in_flight_ = 0;
  std::size_t append_bytes_in_flight_ = 0;
  std::string encoded_;

  Answers answers_;
  std::vector<AppendAnswer> refused_;  // by append(); reported by the next poll
  std::size_t appends_told_ = 0;       // of answers_.appends
  std::size_t questions_in_flight_ = 0;
  std::vector<std::pair<TopicPartition, Result<Bounds>>> bounds_answers_;
  std::vector<std::pair<PartitionId, bool>> membership_answers_;
  std::vector<std::pair<PartitionId, Result<std::optional<Offset>>>> offset_answers_;
  std::vector<std::string> fatal_;
  bool told_connected_ = false;
  bool told_failed_ = false;
};

}  // namespace penstock::embedded
