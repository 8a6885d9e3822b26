#include "tests/conformance/log_conformance.h"

#include <unistd.h>

#include <atomic>

namespace penstock {

std::vector<std::string> Member::values(TopicPartition from) {
  std::vector<std::string> values;
  for (const OwnedRecord& record : records_[from])
    values.push_back(record.value.value_or("(null)"));
  return values;
}

void Member::finish(PartitionId partition) {
  revoked.erase(partition);
  held_.erase(partition);
  session_->finish_revoke(partition);
}

void Member::finish_all_revoked() {
  for (const PartitionId partition : std::set<PartitionId>(revoked)) finish(partition);
}

bool Member::poll() {
  records_in_poll = 0;
  const bool any = session_->poll(*this);
  most_records_in_a_poll = std::max(most_records_in_a_poll, records_in_poll);
  return any;
}

void Member::on_assigned(std::span<const PartitionId> partitions) {
  ++group_calls;
  for (const PartitionId partition : partitions) {
    EXPECT_TRUE(held_.insert(partition).second) << "assigned twice: " << partition;
  }
}

void Member::on_revoked(std::span<const PartitionId> partitions) {
  ++group_calls;
  for (const PartitionId partition : partitions) {
    EXPECT_TRUE(held_.contains(partition)) << "revoked but not held: " << partition;
    EXPECT_TRUE(revoked.insert(partition).second) << "revoked twice: " << partition;
  }
}

void Member::on_lost(std::span<const PartitionId> partitions) {
  ++group_calls;
  for (const PartitionId partition : partitions) {
    EXPECT_TRUE(held_.erase(partition)) << "lost but not held: " << partition;
    revoked.erase(partition);
    lost.insert(partition);
  }
}

void Member::on_records(TopicPartition from, std::span<const LogRecord> records) {
  records_in_poll += records.size();
  for (const LogRecord& record : records) {
    OwnedRecord owned{record.offset, record.timestamp, {}, {}, {}};
    if (record.key) owned.key.emplace(*record.key);
    if (record.value) owned.value.emplace(*record.value);
    for (const HeaderView& header : record.headers) {
      const Header copy = copy_of(header);
      owned.headers.emplace_back(copy.name, copy.value);
    }
    records_[from].push_back(std::move(owned));
    if (on_record) on_record(from, record);
  }
}

void Member::on_out_of_range(TopicPartition from, Offset position) {
  out_of_range.emplace_back(from, position);
}

void Member::on_appended(Lane lane, Ticket ticket, const Appended& result) {
  appended[{lane, ticket}].push_back(result);
}

void Member::on_bounds(TopicPartition of, const Result<Bounds>& result) {
  bounds[of].push_back(result);
}

void Member::on_membership(PartitionId partition, bool is_held) {
  membership[partition].push_back(is_held);
}

void Member::on_deleted(TopicPartition of, const Status& status) {
  deleted.emplace_back(of, status);
}

void Member::on_connection(bool, std::string_view) {}

void Member::on_fatal(std::string_view detail) { fatal.emplace_back(detail); }

void LogConformance::SetUp() { under_test_ = GetParam().make(); }

void LogConformance::TearDown() {
  members_.clear();
  under_test_.reset();
}

Member& LogConformance::open(const std::string& instance_id) {
  auto session = log().open({.client_id = "conformance", .instance_id = instance_id});
  EXPECT_TRUE(session) << session.error().message;
  return members_.emplace_back(std::move(*session));
}

std::string LogConformance::new_name(std::string_view stem) {
  static std::atomic<int> count = 0;
  return std::string(stem) + "-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

std::string LogConformance::new_topic(int partitions, const std::vector<TopicProperty>& config) {
  std::string name = new_name("topic");
  const Status created =
      log().create({.name = name, .partitions = partitions, .replication = 1, .config = config});
  EXPECT_TRUE(created) << created.error().message;
  return name;
}

void LogConformance::poll_all() {
  for (Member& member : members_) {
    // Bounded: two members that answer each other must not keep a test here for ever.
    for (int i = 0; i < 100 && member.alive() && member.poll(); ++i) {
    }
  }
}

bool LogConformance::until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + under_test_->patience();
  while (true) {
    poll_all();
    if (condition()) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
    for (Member& member : members_) {
      if (member.alive()) under_test_->pass_time(member.session());
    }
  }
}

void LogConformance::settle() {
  int rounds = 0;
  EXPECT_TRUE(until([&] { return ++rounds > under_test_->quiet_rounds(); }));
}

void LogConformance::append(Member& member, TopicPartition to, const NewRecord& record,
                            Ticket ticket, Lane lane) {
  bool taken = member->append(lane, to, record, ticket);
  if (taken) return;
  EXPECT_TRUE(until([&] { return taken || (taken = member->append(lane, to, record, ticket)); }));
}

void LogConformance::append_value(Member& member, TopicPartition to, std::string_view value,
                                  Ticket ticket, Lane lane) {
  append(member, to, {.key = "key", .value = value, .headers = {}}, ticket, lane);
}

void LogConformance::append_numbers(Member& member, TopicPartition to, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    append_value(member, to, std::to_string(i), static_cast<Ticket>(i));
  }
  EXPECT_TRUE(until([&] {
    for (int i = first; i < first + count; ++i) {
      if (!acknowledged(member, Lane::kState, static_cast<Ticket>(i))) return false;
    }
    return true;
  }));
}

bool LogConformance::acknowledged(Member& member, Lane lane, Ticket ticket) {
  const auto answers = member.appended.find({lane, ticket});
  if (answers == member.appended.end()) return false;
  EXPECT_EQ(answers->second.size(), 1u) << "more than one answer to ticket " << ticket;
  EXPECT_EQ(answers->second.front().error.value_or(""), "");
  return true;
}

Bounds LogConformance::bounds_of(Member& member, TopicPartition of) {
  member.bounds.erase(of);
  member->bounds(of);
  EXPECT_TRUE(until([&] { return !member.bounds[of].empty(); }));
  const auto& answers = member.bounds[of];
  if (answers.empty() || !answers.front()) {
    ADD_FAILURE() << "no bounds: "
                  << (answers.empty() ? "no answer" : answers.front().error().message);
    return {};
  }
  return *answers.front();
}

std::int64_t LogConformance::group_offset_of(Member& member, PartitionId partition) {
  auto& answers = member.group_offsets[partition];
  answers.clear();
  member->group_offset(partition);
  EXPECT_TRUE(until([&] { return !answers.empty(); }));
  if (answers.empty() || !answers.front()) {
    ADD_FAILURE() << (answers.empty() ? "no answer" : answers.front().error().message);
    return -2;
  }
  return (*answers.front()).value_or(Offset{-1}).value;
}

bool LogConformance::holds(Member& member, PartitionId partition) {
  member.membership.erase(partition);
  member->check_membership(partition);
  EXPECT_TRUE(until([&] { return !member.membership[partition].empty(); }));
  const std::vector<bool>& answers = member.membership[partition];
  EXPECT_EQ(answers.size(), 1u);
  return !answers.empty() && answers.front();
}

std::vector<std::string> numbers(int first, int count) {
  std::vector<std::string> values;
  for (int i = first; i < first + count; ++i) values.push_back(std::to_string(i));
  return values;
}

}  // namespace penstock
