// How far the control topic must be read before anything starts.
#include "consumer/control/control_reader.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Counts what it is asked for.
class AskedSession final : public LogSession {
 public:
  int bounds_asked = 0;
  std::optional<Offset> reads_from;

  TopicId topic(std::string_view) override { return {1}; }
  TopicId second_topic(std::string_view) override { return {2}; }
  void join(TopicId, std::string_view) override {}
  void leave() override {}
  void finish_revoke(PartitionId) override {}
  void check_membership(PartitionId) override {}
  void commit_offset(PartitionId, Offset) override {}
  void group_offset(PartitionId) override {}
  void read(TopicPartition, Offset position) override { reads_from = position; }
  void stop_reading(TopicPartition) override { reads_from.reset(); }
  void bounds(TopicPartition) override { ++bounds_asked; }
  bool append(Lane, TopicPartition, const NewRecord&, Ticket) override { return true; }
  void renew(Lane) override {}
  void delete_records(TopicPartition, Offset) override {}
  bool poll(LogListener&) override { return false; }
  void wait(std::chrono::nanoseconds) override {}
  void wake() override {}
};

struct ReadingControl : testing::Test {
  AskedSession session;
  std::vector<std::string> said;
  ControlReader reader{session, TopicId{1},
                       [this](const std::string& text) { said.push_back(text); }};
  Instant time{std::chrono::hours(1)};

  [[nodiscard]] Now now() const { return {time_from_ms(1'800'000'000'000), time}; }
  void bounds(std::int64_t start, std::int64_t end) {
    reader.on_bounds(Bounds{Offset{start}, Offset{end}}, now());
  }
  void record(std::int64_t offset, std::string_view key, std::string_view value) {
    const LogRecord record{Offset{offset}, {}, key, value, {}};
    reader.on_records({&record, 1}, now());
  }
  void pass(std::chrono::seconds seconds) {
    time += seconds;
    reader.tick(now());
  }
};

TEST_F(ReadingControl, IsDoneWhenTheRecordBeforeTheEndHasCome) {
  reader.read_to_end(now());
  EXPECT_FALSE(reader.is_read());
  bounds(2, 9);
  EXPECT_EQ(session.reads_from, Offset{2});
  record(5, limit_key("crm"), R"({"slots":0})");
  EXPECT_FALSE(reader.is_read());
  record(8, limit_key("erp"), R"({"slots":1})");  // those between were compacted away
  EXPECT_TRUE(reader.is_read());
  EXPECT_EQ(reader.control().limit("crm", "crm")->slots, 0);
}

TEST_F(ReadingControl, AnEmptyTopicIsReadAtOnce) {
  reader.read_to_end(now());
  bounds(4, 4);
  EXPECT_TRUE(reader.is_read());
}

// A halt may lie behind what a broker cannot give just now.
TEST_F(ReadingControl, SilenceIsNoEndHoweverLongItLasts) {
  reader.read_to_end(now());
  bounds(0, 3);
  record(0, limit_key("crm"), R"({"slots":2})");
  for (int i = 0; i < 100; ++i) pass(std::chrono::seconds(1));
  EXPECT_FALSE(reader.is_read());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0],
            "limits and pauses are not known up to offset 3 of the control topic, and nothing "
            "comes from it: "
            "nothing starts until it can be read");
  record(2, limit_key("crm"), R"({"slots":0})");
  EXPECT_TRUE(reader.is_read());
}

TEST_F(ReadingControl, ATakeOverReadsToTheEndOfThen) {
  reader.read_to_end(now());
  bounds(0, 1);
  record(0, limit_key("crm"), R"({"slots":2})");
  EXPECT_TRUE(reader.is_read());
  reader.read_to_end(now());
  EXPECT_FALSE(reader.is_read());
  bounds(0, 2);
  EXPECT_FALSE(reader.is_read());
  record(1, limit_key("crm"), R"({"slots":0})");
  EXPECT_TRUE(reader.is_read());
}

TEST_F(ReadingControl, BoundsThatDoNotComeAreAskedForAgain) {
  reader.read_to_end(now());
  EXPECT_EQ(session.bounds_asked, 1);
  reader.on_bounds(failure("no broker"), now());
  pass(std::chrono::seconds(1));
  EXPECT_EQ(session.bounds_asked, 2);
  EXPECT_EQ(said.size(), 1u);
}

}  // namespace
}  // namespace penstock
