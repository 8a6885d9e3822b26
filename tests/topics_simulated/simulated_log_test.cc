// The contract of topics/log.h on a cluster without faults.
#include "topics/simulated/simulated_log.h"

#include <gtest/gtest.h>

#include "tests/topics_simulated/recorder.h"

namespace penstock {
namespace {

using std::chrono::seconds;

struct FaultFree : testing::Test {
  FaultFree() { EXPECT_TRUE(cluster.create({.name = "jobs", .partitions = 4, .config = {}})); }
  SimulatedCluster cluster{{.seed = 3}};
  SimulatedHost& host = cluster.add_host();
};

TEST_F(FaultFree, AppendsAreAcknowledgedInOrderWithDenseOffsets) {
  Client client(cluster, host);
  for (Ticket i = 0; i < 200; ++i) ASSERT_TRUE(client.append(1, std::to_string(i), i));
  cluster.run_for(seconds(10));
  ASSERT_EQ(client.heard.order.size(), 200u);
  for (Ticket i = 0; i < 200; ++i) {
    EXPECT_EQ(client.heard.order[i], i);
    EXPECT_EQ(client.heard.appended[i].offset, Offset{static_cast<std::int64_t>(i)});
  }
}

TEST_F(FaultFree, AReaderSeesEveryRecordOnceWholeAndInOrder) {
  Client client(cluster, host);
  client.session->read(client.at(0), Offset{0});
  const std::vector<HeaderView> headers = {{"a", "1"}, {"b", ""}, {"c", std::nullopt}};
  ASSERT_TRUE(client.session->append(Lane::kState, client.at(0),
                                     {.key = "key", .value = std::nullopt, .headers = headers}, 1));
  ASSERT_TRUE(client.session->append(Lane::kState, client.at(0),
                                     {.key = std::nullopt, .value = "value", .headers = {}}, 2));
  for (Ticket i = 2; i < 1500; ++i)
    cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  cluster.run_for(seconds(2));
  const auto& seen = client.heard.records[0];
  ASSERT_EQ(seen.size(), 1500u);
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(seen[i].offset, static_cast<std::int64_t>(i));
  const auto& log = cluster.partition("jobs", 0);
  for (Offset at{0}; at < log.end(); at = at.next()) {
    if (log.at(at).headers.empty()) continue;
    const auto& whole = seen[static_cast<std::size_t>(at.value)];
    EXPECT_EQ(whole.key, "key");
    EXPECT_EQ(whole.value, "(none)");
    ASSERT_EQ(whole.headers.size(), 3u);
    EXPECT_EQ(whole.headers[1].name, "b");
    EXPECT_EQ(whole.headers[1].value, "");
    EXPECT_EQ(whole.headers[2].value, std::nullopt);
  }
}

TEST_F(FaultFree, AStoppedReadIsSilentAtOnce) {
  Client client(cluster, host);
  client.polls = false;
  client.session->read(client.at(0), Offset{0});
  cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  cluster.run_for(seconds(1));
  client.session->stop_reading(client.at(0));
  EXPECT_FALSE(client.session->poll(client.heard));
  EXPECT_TRUE(client.heard.records.empty());
  client.session->read(client.at(0), Offset{0});
  cluster.run_for(seconds(1));
  EXPECT_TRUE(client.session->poll(client.heard));
  EXPECT_EQ(client.heard.records[0].size(), 1u);
}

TEST_F(FaultFree, APollHandsOnABoundedNumberOfRecords) {
  Client client(cluster, host);
  client.polls = false;
  client.session->read(client.at(0), Offset{0});
  for (int i = 0; i < 20'000; ++i)
    cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  std::size_t polls = 0;
  while (client.heard.records[0].size() < 20'000 && polls < 1000) {
    cluster.run_for(seconds(1));
    const std::size_t before = client.heard.records[0].size();
    client.session->poll(client.heard);
    EXPECT_LE(client.heard.records[0].size() - before, kMaxRecordsPerPoll);
    ++polls;
  }
  EXPECT_EQ(client.heard.records[0].size(), 20'000u);
  EXPECT_EQ(client.heard.records[0].back().offset, 19'999);
}

TEST_F(FaultFree, APositionOutsideTheLogIsOutOfRange) {
  Client client(cluster, host);
  for (int i = 0; i < 10; ++i) cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  client.session->delete_records(client.at(0), Offset{4});
  cluster.run_for(seconds(1));
  ASSERT_EQ(client.heard.deleted.size(), 1u);
  EXPECT_TRUE(client.heard.deleted[0]);
  client.session->read(client.at(0), Offset{3});
  cluster.run_for(seconds(1));
  ASSERT_EQ(client.heard.out_of_range.size(), 1u);
  client.session->read(client.at(0), Offset{11});
  cluster.run_for(seconds(1));
  EXPECT_EQ(client.heard.out_of_range.size(), 2u);
  client.session->read(client.at(0), Offset{4});
  client.session->bounds(client.at(0));
  cluster.run_for(seconds(1));
  EXPECT_EQ(client.heard.records[0].size(), 6u);
  ASSERT_EQ(client.heard.bounds.size(), 1u);
  EXPECT_EQ(client.heard.bounds[0]->start, Offset{4});
  EXPECT_EQ(client.heard.bounds[0]->end, Offset{10});
}

TEST_F(FaultFree, ARenewedLaneForgetsItsAppendsAndTheOtherDoesNot) {
  Client client(cluster, host);
  for (Ticket i = 0; i < 20; ++i) {
    ASSERT_TRUE(client.append(0, "s", i, Lane::kState));
    ASSERT_TRUE(client.append(1, "o", 100 + i, Lane::kOutbox));
  }
  client.session->renew(Lane::kState);
  ASSERT_TRUE(client.append(0, "new", 50, Lane::kState));
  cluster.run_for(seconds(5));
  EXPECT_EQ(client.heard.appended.size(), 21u);
  EXPECT_TRUE(client.heard.appended.contains(50));
  EXPECT_FALSE(client.heard.appended.contains(0));
}

TEST_F(FaultFree, AFullBufferTakesNothing) {
  ClusterOptions options;
  options.buffered_appends = 3;
  SimulatedCluster small(options);
  ASSERT_TRUE(small.create({.name = "jobs", .partitions = 1, .config = {}}));
  Client client(small, small.add_host());
  for (Ticket i = 0; i < 3; ++i) ASSERT_TRUE(client.append(0, "x", i));
  EXPECT_FALSE(client.append(0, "x", 3));
  EXPECT_EQ(count(small, Fault::kBufferFull), 1u);
  small.run_for(seconds(1));
  EXPECT_TRUE(client.append(0, "x", 3));
  small.run_for(seconds(1));
  EXPECT_EQ(small.partition("jobs", 0).end(), Offset{4});
}

TEST_F(FaultFree, TwoMembersShareThePartitionsCooperatively) {
  Client first(cluster, host), second(cluster, cluster.add_host());
  first.session->join(first.id, "g");
  cluster.run_for(seconds(2));
  EXPECT_EQ(first.heard.assigned.size(), 4u);
  second.session->join(second.id, "g");
  cluster.run_for(seconds(2));
  ASSERT_EQ(first.heard.revoked.size(), 2u);
  EXPECT_TRUE(second.heard.assigned.empty());  // still the first one's
  for (const PartitionId partition : first.heard.revoked) first.session->finish_revoke(partition);
  cluster.run_for(seconds(2));
  EXPECT_EQ(second.heard.assigned.size(), 2u);
  EXPECT_TRUE(first.heard.lost.empty());
  first.session->leave();
  cluster.run_for(seconds(2));
  EXPECT_EQ(second.heard.assigned.size(), 4u);
}

TEST_F(FaultFree, AMemberThatDoesNotFinishLosesThePartitionAtTheTimeout) {
  Client first(cluster, host), second(cluster, cluster.add_host());
  first.session->join(first.id, "g");
  cluster.run_for(seconds(2));
  second.session->join(second.id, "g");
  cluster.run_for(seconds(14));
  EXPECT_TRUE(second.heard.assigned.empty());
  cluster.run_for(seconds(4));
  EXPECT_EQ(second.heard.assigned.size(), 2u);
  EXPECT_EQ(first.heard.lost.size(), 2u);
}

TEST_F(FaultFree, MembershipIsToldAsTheGroupHasIt) {
  Client client(cluster, host), other(cluster, cluster.add_host());
  client.session->join(client.id, "g");
  cluster.run_for(seconds(2));
  other.session->join(other.id, "g");
  cluster.run_for(seconds(2));
  const PartitionId moved = client.heard.revoked.at(0);
  client.session->check_membership(moved);
  client.session->commit_offset(moved, Offset{7});
  cluster.run_for(seconds(1));
  client.session->finish_revoke(moved);
  cluster.run_for(seconds(1));
  client.session->check_membership(moved);
  cluster.run_for(seconds(1));
  const std::vector<std::pair<PartitionId, bool>> expected = {{moved, true}, {moved, false}};
  EXPECT_EQ(client.heard.memberships, expected);
  EXPECT_EQ(cluster.committed("g", "jobs", moved), Offset{7});
}

TEST_F(FaultFree, AnInstanceIdKeepsItsPartitionsAcrossARestart) {
  auto first = std::make_unique<Client>(cluster, host, "jobs", "one");
  Client other(cluster, cluster.add_host(), "jobs", "two");
  first->session->join(first->id, "g");
  other.session->join(other.id, "g");
  cluster.run_for(seconds(20));
  const auto before = first->heard.assigned;
  const auto others = other.heard.assigned.size() - other.heard.revoked.size();
  first.reset();
  Client again(cluster, host, "jobs", "one");
  again.session->join(again.id, "g");
  cluster.run_for(seconds(20));
  EXPECT_EQ(again.heard.assigned.size() + others, 4u);
}

TEST_F(FaultFree, ATopicThatDoesNotExistIsFatal) {
  Client client(cluster, host, "nowhere");
  client.session->join(client.id, "g");
  client.session->read(client.at(0), Offset{0});
  EXPECT_TRUE(client.append(0, "x", 1));
  client.session->bounds(client.at(0));
  cluster.run_for(seconds(1));
  EXPECT_EQ(client.heard.fatal.size(), 2u);
  EXPECT_TRUE(client.heard.appended[1].error.has_value());
  ASSERT_EQ(client.heard.bounds.size(), 1u);
  EXPECT_FALSE(client.heard.bounds[0]);
}

TEST_F(FaultFree, ATopicIsDescribedAsItWasMadeAndConfigured) {
  SimulatedLog log(cluster, host);
  ASSERT_TRUE(log.create({"t", 3, 2, {{"cleanup.policy", "delete"}}}));
  EXPECT_FALSE(log.create({"t", 3, 2, {}}));
  ASSERT_TRUE(log.configure("t", {{"retention.ms", "-1"}}));
  const auto described = log.describe("t");
  ASSERT_TRUE(described);
  EXPECT_TRUE(described->exists);
  EXPECT_EQ(described->partitions, 3);
  EXPECT_EQ(described->replication, 2);
  EXPECT_EQ(described->config.size(), 2u);
  EXPECT_FALSE(log.describe("none")->exists);
  EXPECT_EQ(*log.broker_count(), 3);
}

TEST_F(FaultFree, TimestampsAreTheBrokersWhereTheTopicSaysSo) {
  ASSERT_TRUE(cluster.create({"state", 1, 1, {{"message.timestamp.type", "LogAppendTime"}}}));
  cluster.run_for(seconds(5));
  Client created(cluster, host), logged(cluster, host, "state");
  ASSERT_TRUE(created.append(0, "x", 1));
  ASSERT_TRUE(logged.append(0, "x", 1));
  const Time sent = host.now().wall;
  cluster.run_for(seconds(1));
  EXPECT_EQ(cluster.partition("jobs", 0).at(Offset{0}).timestamp, sent);
  EXPECT_GT(cluster.partition("state", 0).at(Offset{0}).timestamp, sent);
}

TEST_F(FaultFree, NothingCountsAsAFaultButWhatIsPartOfRevoking) {
  Client client(cluster, host), other(cluster, cluster.add_host());
  client.session->join(client.id, "g");
  other.session->join(other.id, "g");
  for (Ticket i = 0; i < 100; ++i) ASSERT_TRUE(client.append(0, "x", i));
  cluster.run_for(seconds(10));
  for (const auto& [kind, times] : cluster.counts()) {
    EXPECT_EQ(times, kind == "revoked" ? cluster.world().faults().count_of(Fault::kRevoked) : 0)
        << kind;
  }
}

TEST_F(FaultFree, WaitPassesTimeWhereThatIsAskedFor) {
  ClusterOptions options;
  options.wait_passes_time = true;
  SimulatedCluster passing(options);
  ASSERT_TRUE(passing.create({.name = "jobs", .partitions = 1, .config = {}}));
  Client client(passing, passing.add_host());
  client.polls = false;
  ASSERT_TRUE(client.append(0, "x", 1));
  int turns = 0;
  while (client.heard.appended.empty() && ++turns < 1000) {
    client.session->wait(std::chrono::milliseconds(5));
    client.session->poll(client.heard);
  }
  EXPECT_EQ(client.heard.appended[1].offset, Offset{0});
}

}  // namespace
}  // namespace penstock
