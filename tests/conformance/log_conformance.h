// The rules that every log keeps (topics/log.h), as one suite of tests that each implementation
// runs.
//
//   An implementation gives a factory of LogUnderTest and writes, in a file of its own here:
//     INSTANTIATE_TEST_SUITE_P(Embedded, LogConformance,
//                              testing::Values(LogFactory{"embedded", [] { ... }}), log_name);
//
// Nothing here sleeps: a test polls its sessions until what it waits for has come, or its patience
// ends. Between polls it lets the log under test pass time, as that log understands time.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topics/log.h"

namespace penstock {

// One log with whatever it stands on. Gone with everything in it when destroyed.
class LogUnderTest {
 public:
  virtual ~LogUnderTest() = default;

  virtual Log& log() = 0;
  // Lets a little time pass (some ms): a real log waits on the session, a simulated one moves its
  // clock.
  virtual void pass_time(LogSession& session) { session.wait(std::chrono::milliseconds(2)); }
  // How long a test goes on polling before it fails, in real time.
  [[nodiscard]] virtual std::chrono::seconds patience() const { return std::chrono::seconds(20); }
  // How many rounds of polling and passing time show that something does not come any more.
  [[nodiscard]] virtual int quiet_rounds() const { return 25; }
  // Whether a revoked partition that is never finished is taken away in the end. Kafka's
  // cooperative protocol waits for as long as the member lives.
  [[nodiscard]] virtual bool bounds_revocations() const { return true; }
  // Deletes a topic and creates it again, empty. False: this log deletes no topics.
  [[nodiscard]] virtual bool recreate(const std::string& /*topic*/) { return false; }
};

struct LogFactory {
  std::string name;
  std::function<std::unique_ptr<LogUnderTest>()> make;
};

inline void PrintTo(const LogFactory& factory, std::ostream* out) { *out << factory.name; }

[[nodiscard]] inline std::string log_name(const testing::TestParamInfo<LogFactory>& info) {
  return info.param.name;
}

// A record that owns what it has.
struct OwnedRecord {
  Offset offset;
  Time timestamp;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
};

// A session with what it has been told.
class Member final : public LogListener {
 public:
  explicit Member(std::unique_ptr<LogSession> session) : session_(std::move(session)) {}

  LogSession& session() { return *session_; }
  LogSession* operator->() { return session_.get(); }
  void die() { session_.reset(); }
  [[nodiscard]] bool alive() const { return session_ != nullptr; }

  [[nodiscard]] const std::vector<OwnedRecord>& records(TopicPartition from) {
    return records_[from];
  }
  [[nodiscard]] std::vector<std::string> values(TopicPartition from);
  // What the member holds by its own knowledge: assigned, and neither finished nor lost.
  [[nodiscard]] const std::set<PartitionId>& held() const { return held_; }
  void finish(PartitionId partition);
  void finish_all_revoked();

  std::map<std::pair<Lane, Ticket>, std::vector<Appended>> appended;
  std::vector<std::pair<TopicPartition, Offset>> out_of_range;
  std::map<TopicPartition, std::vector<Result<Bounds>>> bounds;
  std::map<PartitionId, std::vector<bool>> membership;
  std::map<PartitionId, std::vector<Result<std::optional<Offset>>>> group_offsets;
  std::vector<std::pair<TopicPartition, Status>> deleted;
  std::vector<std::string> fatal;
  std::vector<std::pair<TopicPartition, std::string>> refused;  // reads
  std::set<PartitionId> revoked;                                // asked for, not given back yet
  std::set<PartitionId> lost;
  int group_calls = 0;
  std::size_t records_in_poll = 0;
  std::size_t most_records_in_a_poll = 0;
  // Called for each record as it is shown, within on_records.
  std::function<void(TopicPartition, const LogRecord&)> on_record;

  bool poll();

  void on_assigned(std::span<const PartitionId> partitions) override;
  void on_revoked(std::span<const PartitionId> partitions) override;
  void on_lost(std::span<const PartitionId> partitions) override;
  void on_records(TopicPartition from, std::span<const LogRecord> records) override;
  void on_out_of_range(TopicPartition from, Offset position) override;
  void on_read_refused(TopicPartition from, std::string_view detail) override {
    refused.emplace_back(from, detail);
  }
  void on_appended(Lane lane, Ticket ticket, const Appended& result) override;
  void on_bounds(TopicPartition of, const Result<Bounds>& bounds) override;
  void on_membership(PartitionId partition, bool held) override;
  void on_group_offset(PartitionId partition,
                       const Result<std::optional<Offset>>& offset) override {
    group_offsets[partition].push_back(offset);
  }
  void on_deleted(TopicPartition of, const Status& status) override;
  void on_connection(bool connected, std::string_view detail) override;
  void on_fatal(std::string_view detail) override;

 private:
  std::unique_ptr<LogSession> session_;
  std::map<TopicPartition, std::vector<OwnedRecord>> records_;
  std::set<PartitionId> held_;
};

class LogConformance : public testing::TestWithParam<LogFactory> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Log& log() { return under_test_->log(); }
  [[nodiscard]] bool bounds_revocations() const { return under_test_->bounds_revocations(); }
  [[nodiscard]] bool recreate(const std::string& topic) { return under_test_->recreate(topic); }
  // A new session; it is polled by until() and settle() as long as it is alive.
  Member& open(const std::string& instance_id = "");
  // A topic of a name never used before.
  std::string new_topic(int partitions, const std::vector<TopicProperty>& config = {});
  static std::string new_name(std::string_view stem);

  // Polls every live member until the condition holds. False: patience has ended.
  [[nodiscard]] bool until(const std::function<bool()>& condition);
  // Polls every live member until nothing can be under way any more.
  void settle();

  // Appends, polling while the buffer is full.
  void append(Member& member, TopicPartition to, const NewRecord& record, Ticket ticket,
              Lane lane = Lane::kState);
  void append_value(Member& member, TopicPartition to, std::string_view value, Ticket ticket,
                    Lane lane = Lane::kState);
  // Appends `first` .. `first + count - 1` as decimal values with those tickets, and waits until
  // all are acknowledged without an error.
  void append_numbers(Member& member, TopicPartition to, int first, int count);
  [[nodiscard]] bool acknowledged(Member& member, Lane lane, Ticket ticket);
  Bounds bounds_of(Member& member, TopicPartition of);
  // Asks group_offset; -1 for none.
  std::int64_t group_offset_of(Member& member, PartitionId partition);
  // Asks check_membership.
  bool holds(Member& member, PartitionId partition);

  std::unique_ptr<LogUnderTest> under_test_;
  std::deque<Member> members_;

 private:
  void poll_all();
};

// "first" .. "first + count - 1".
[[nodiscard]] std::vector<std::string> numbers(int first, int count);

}  // namespace penstock
