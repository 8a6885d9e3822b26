// Each fault by itself: it happens, it is counted, and it does what it says.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/topics_simulated/recorder.h"

namespace penstock {
namespace {

using simulated::Nanos;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Cluster : SimulatedCluster {
  explicit Cluster(const ClusterOptions& options, int partitions = 1) : SimulatedCluster(options) {
    EXPECT_TRUE(create({.name = "jobs",
                        .partitions = partitions,
                        .config = {{"message.timestamp.type", "LogAppendTime"}}}));
  }
  Instant in(Nanos span) { return now() + span; }
};

FaultRates with(double FaultRates::*rate, double value) {
  FaultRates rates;
  rates.*rate = value;
  return rates;
}

// Appends `count` records and returns when the last can have ended.
void append_all(Cluster& cluster, Client& client, Ticket count, Nanos apart = milliseconds(20)) {
  for (Ticket i = 0; i < count; ++i) {
    ASSERT_TRUE(client.append(0, std::to_string(i), i));
    cluster.run_for(apart);
  }
  cluster.run_for(seconds(60));
}

TEST(SimulatedFault, LostRequestsAreSentAgainAndEnterOnce) {
  Cluster cluster(options_with(with(&FaultRates::lost, 0.05)));
  Client client(cluster, cluster.add_host());
  append_all(cluster, client, 200, milliseconds(400));
  EXPECT_GT(count(cluster, Fault::kLostRequest), 4u);
  EXPECT_EQ(values_of(cluster, 0).size(), 200u);
  EXPECT_EQ(client.heard.appended.size(), 200u);
}

TEST(SimulatedFault, LostAnswersMakeDuplicatesThatTheBrokerKnows) {
  auto rates = with(&FaultRates::lost_answer, 0.3);
  rates.duplicate_without_offset = 0.5;
  Cluster cluster(options_with(rates));
  Client client(cluster, cluster.add_host());
  append_all(cluster, client, 300);
  EXPECT_GT(count(cluster, Fault::kLostAnswer), 20u);
  EXPECT_GT(count(cluster, Fault::kDuplicateAnswered), 0u);
  EXPECT_GT(count(cluster, Fault::kDuplicateWithoutOffset), 0u);
  EXPECT_GT(count(cluster, Fault::kImplicitAcknowledgement), 0u);
  EXPECT_EQ(values_of(cluster, 0).size(), 300u);
  const auto& ends = client.heard.appended;
  EXPECT_TRUE(std::any_of(ends.begin(), ends.end(),
                          [](const auto& end) { return !end.second.offset && !end.second.error; }));
}

TEST(SimulatedFault, AnOffsetThatIsToldIsTheRecords) {
  auto rates = FaultPlan::storm_rates();
  rates.between = {};
  Cluster cluster(options_with(rates));
  Client client(cluster, cluster.add_host());
  append_all(cluster, client, 500);
  const auto values = values_of(cluster, 0);
  for (const auto& [ticket, end] : client.heard.appended) {
    if (!end.offset) continue;
    EXPECT_EQ(values.at(static_cast<std::size_t>(end.offset->value)), std::to_string(ticket));
  }
}

TEST(SimulatedFault, RepeatedRequestsEnterOnce) {
  Cluster cluster(options_with(with(&FaultRates::duplicate, 0.5)));
  Client client(cluster, cluster.add_host());
  append_all(cluster, client, 100);
  EXPECT_GT(count(cluster, Fault::kDuplicateRequest), 20u);
  EXPECT_EQ(values_of(cluster, 0).size(), 100u);
}

TEST(SimulatedFault, AForgottenProducersAppendsEnterTwice) {
  auto rates = with(&FaultRates::lost_answer, 0.5);
  rates.unknown_producer_begins = 1;
  Cluster cluster(options_with(rates));
  Client client(cluster, cluster.add_host());
  for (Ticket i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.append(0, std::to_string(i), i));
    cluster.run_for(milliseconds(100));
    if (i % 5 == 0) cluster.find("jobs", 0)->forget_producers();
    cluster.run_for(seconds(2));
  }
  EXPECT_GT(count(cluster, Fault::kDuplicateInLog), 0u);
  EXPECT_GT(count(cluster, Fault::kUnknownProducerBegins), 0u);
  EXPECT_GT(values_of(cluster, 0).size(), 100u);
}

TEST(SimulatedFault, AForgottenProducerThatIsRefusedTimesOut) {
  Cluster cluster(options_with({}));
  Client client(cluster, cluster.add_host());
  append_all(cluster, client, 5);
  cluster.find("jobs", 0)->forget_producers();
  append_all(cluster, client, 1);
  EXPECT_TRUE(client.heard.appended[0].error);
  EXPECT_GT(count(cluster, Fault::kUnknownProducerRefused), 0u);
  ASSERT_TRUE(client.append(0, "after", 77));
  cluster.run_for(seconds(1));
  EXPECT_TRUE(client.heard.appended[77].offset);  // under a new producer
}

TEST(SimulatedFault, ATimeoutLeavesAGapAndLaterAppendsGoOn) {
  ClusterOptions options;
  options.delivery_timeout = seconds(4);
  Cluster cluster(options);
  SimulatedHost& host = cluster.add_host();
  Client client(cluster, host);
  host.cut_data(cluster.in(seconds(7)));
  ASSERT_TRUE(client.append(0, "early", 1));
  cluster.run_for(seconds(3));
  ASSERT_TRUE(client.append(0, "late", 2));
  cluster.run_for(milliseconds(1500));
  EXPECT_TRUE(client.heard.appended[1].error);
  EXPECT_FALSE(client.heard.appended.contains(2));
  cluster.run_for(milliseconds(2400));
  EXPECT_FALSE(client.heard.appended.contains(2));
  cluster.run_for(seconds(1));
  EXPECT_EQ(count(cluster, Fault::kDeliveryTimeout), 2u);  // one at 4 s, one at 7 s
  ASSERT_TRUE(client.append(0, "after", 3));
  cluster.run_for(seconds(2));
  EXPECT_TRUE(client.heard.appended[3].offset);
  EXPECT_GT(count(cluster, Fault::kHeldInCut), 0u);
}

TEST(SimulatedFault, AnAppendArrivesAfterItsSessionHasClosed) {
  Cluster cluster({});
  Client client(cluster, cluster.add_host());
  ASSERT_TRUE(client.append(0, "x", 1));
  client.session.reset();
  cluster.run_for(seconds(1));
  EXPECT_EQ(values_of(cluster, 0).size(), 1u);
  EXPECT_EQ(count(cluster, Fault::kAppendAfterClose), 1u);
}

TEST(SimulatedFault, AnAppendOfARenewedLaneStillArrivesUnheard) {
  Cluster cluster({});
  Client client(cluster, cluster.add_host());
  ASSERT_TRUE(client.append(0, "x", 1));
  client.session->renew(Lane::kState);
  cluster.run_for(seconds(1));
  EXPECT_EQ(values_of(cluster, 0).size(), 1u);
  EXPECT_TRUE(client.heard.appended.empty());
}

TEST(SimulatedFault, ACutHoldsReadsAndItIsTold) {
  Cluster cluster({});
  SimulatedHost& host = cluster.add_host();
  Client client(cluster, host);
  client.session->read(client.at(0), Offset{0});
  cluster.run_for(seconds(1));
  host.cut_data(cluster.in(seconds(5)));
  cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  cluster.run_for(seconds(4));
  EXPECT_TRUE(client.heard.records[0].empty());
  EXPECT_EQ(client.heard.connections, std::vector<bool>{false});
  cluster.run_for(seconds(4));
  EXPECT_EQ(client.heard.records[0].size(), 1u);
  EXPECT_EQ(client.heard.connections, (std::vector<bool>{false, true}));
}

TEST(SimulatedFault, ACutFromTheGroupLosesThePartitionsAtTheSessionTimeout) {
  Cluster cluster({}, 2);
  SimulatedHost& host = cluster.add_host();
  Client cut(cluster, host), other(cluster, cluster.add_host());
  cut.session->join(cut.id, "g");
  other.session->join(other.id, "g");
  cluster.run_for(seconds(2));
  host.cut_group(cluster.in(seconds(20)));
  cluster.run_for(seconds(14));
  EXPECT_TRUE(cut.heard.lost.empty());
  cluster.run_for(seconds(4));
  EXPECT_EQ(other.heard.assigned.size(), 2u);
  EXPECT_TRUE(cut.heard.lost.empty());  // it cannot know
  cluster.run_for(seconds(6));
  EXPECT_FALSE(cut.heard.lost.empty());
  EXPECT_EQ(count(cluster, Fault::kSessionTimeout), 1u);
}

TEST(SimulatedFault, APausedHostDoesNothingAndThenEverythingInOrder) {
  Cluster cluster({});
  SimulatedHost& host = cluster.add_host();
  Client client(cluster, host);
  for (Ticket i = 0; i < 5; ++i) ASSERT_TRUE(client.append(0, std::to_string(i), i));
  bool ran = false;
  host.pause();
  host.after(milliseconds(10), [&] { ran = true; });
  cluster.run_for(seconds(5));
  EXPECT_FALSE(ran);
  EXPECT_TRUE(client.heard.appended.empty());
  EXPECT_EQ(values_of(cluster, 0).size(), 5u);  // they were under way
  host.resume();
  EXPECT_TRUE(ran);
  cluster.run_for(Nanos{0});
  EXPECT_EQ(client.heard.order, (std::vector<Ticket>{0, 1, 2, 3, 4}));
}

TEST(SimulatedFault, ACrashEndsSessionsAndDropsWhatTheHostWouldDo) {
  Cluster cluster({});
  SimulatedHost& host = cluster.add_host();
  auto client = std::make_unique<Client>(cluster, host);
  std::vector<std::string> story;
  host.set_events({.crashed = [&] { story.push_back("crashed"); },
                   .restarted = [&] { story.push_back("restarted"); },
                   .paused = {},
                   .resumed = {}});
  host.after(seconds(1), [&] { story.push_back("never"); });
  ASSERT_TRUE(client->append(0, "x", 1));
  host.crash();
  EXPECT_FALSE(client->log.open({}));
  EXPECT_TRUE(client->append(0, "y", 2));  // does nothing
  cluster.run_for(seconds(2));
  host.restart();
  cluster.run_for(seconds(2));
  EXPECT_EQ(story, (std::vector<std::string>{"crashed", "restarted"}));
  EXPECT_TRUE(client->heard.appended.empty());
  EXPECT_EQ(values_of(cluster, 0), std::vector<std::string>{"x"});
  client.reset();
  Client again(cluster, host);
  ASSERT_TRUE(again.append(0, "z", 3));
  cluster.run_for(seconds(1));
  EXPECT_TRUE(again.heard.appended[3].offset);
}

TEST(SimulatedFault, ALeaderThatIsAwayTakesNothingUntilItIsBack) {
  Cluster cluster({});
  Client client(cluster, cluster.add_host());
  cluster.find("jobs", 0)->lead(Duration(-200), cluster.in(seconds(3)));
  ASSERT_TRUE(client.append(0, "x", 1));
  client.session->read(client.at(0), Offset{0});
  client.session->bounds(client.at(0));
  cluster.run_for(milliseconds(2900));
  EXPECT_TRUE(values_of(cluster, 0).empty());
  EXPECT_TRUE(client.heard.bounds.empty());
  cluster.run_for(seconds(2));
  ASSERT_EQ(client.heard.records[0].size(), 1u);
  EXPECT_LT(client.heard.records[0][0].timestamp, cluster.wall() - milliseconds(200));
  EXPECT_EQ(client.heard.bounds.size(), 1u);
  EXPECT_GT(count(cluster, Fault::kBrokerAway), 0u);
}

TEST(SimulatedFault, AHangingDeletionTakesEffectLate) {
  Cluster cluster(options_with(with(&FaultRates::delete_hangs, 1)), 20);
  Client client(cluster, cluster.add_host());
  for (PartitionId i = 0; i < 20; ++i) {
    cluster.append("jobs", i, {.key = {}, .value = "x", .headers = {}});
    client.session->delete_records(client.at(i), Offset{1});
  }
  cluster.run_for(seconds(20));
  for (PartitionId i = 0; i < 20; ++i) EXPECT_EQ(cluster.partition("jobs", i).start(), Offset{1});
  EXPECT_EQ(count(cluster, Fault::kDeleteHangs), 20u);
  EXPECT_EQ(client.heard.deleted.size(), 20u);
  const auto& ends = client.heard.deleted;
  EXPECT_TRUE(std::any_of(ends.begin(), ends.end(), [](const Status& end) { return !end; }));
  EXPECT_GT(count(cluster, Fault::kLateTrim), 0u);
}

TEST(SimulatedFault, ATrimOvertakesARead) {
  ClusterOptions options;
  options.fetch_records = 10;
  Cluster cluster(options);
  Client client(cluster, cluster.add_host());
  for (int i = 0; i < 1000; ++i)
    cluster.append("jobs", 0, {.key = {}, .value = "x", .headers = {}});
  client.session->read(client.at(0), Offset{0});
  cluster.run_for(milliseconds(200));
  cluster.trim("jobs", 0, Offset{900});
  cluster.run_for(seconds(2));
  ASSERT_EQ(client.heard.out_of_range.size(), 1u);
  EXPECT_EQ(client.heard.out_of_range[0].value,
            static_cast<std::int64_t>(client.heard.records[0].size()));
  EXPECT_EQ(count(cluster, Fault::kReadOvertakenByTrim), 1u);
  EXPECT_EQ(cluster.partition("jobs", 0).at(Offset{0}).value, "x");  // the checker can still look
}

TEST(SimulatedFault, AMoveAsksAndAKickDoesNot) {
  Cluster cluster({}, 4);
  Client one(cluster, cluster.add_host()), two(cluster, cluster.add_host());
  one.session->join(one.id, "g");
  two.session->join(two.id, "g");
  cluster.run_for(seconds(2));
  const auto finish = [&](Client& client) {
    for (const PartitionId partition : client.heard.revoked) {
      client.session->finish_revoke(partition);
      client.heard.assigned.erase(partition);
    }
    client.heard.revoked.clear();
  };
  finish(one);
  cluster.run_for(seconds(2));
  ASSERT_EQ(one.heard.assigned.size() + two.heard.assigned.size(), 4u);
  ASSERT_TRUE(cluster.inject(Fault::kMove));
  cluster.run_for(seconds(1));
  EXPECT_EQ(one.heard.revoked.size() + two.heard.revoked.size(), 1u);
  EXPECT_TRUE(one.heard.lost.empty() && two.heard.lost.empty());
  finish(one);
  finish(two);
  cluster.run_for(seconds(2));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(cluster.inject(Fault::kKick));
  cluster.run_for(seconds(1));
  EXPECT_FALSE(one.heard.lost.empty() && two.heard.lost.empty());
  EXPECT_EQ(count(cluster, Fault::kKick), 10u);
}

TEST(SimulatedFault, ALateReleaseOfAnEarlierAssignmentGivesNothingBack) {
  simulated::Group* group = nullptr;
  Cluster cluster({});
  Client client(cluster, cluster.add_host());
  client.session->join(client.id, "g");
  cluster.run_for(seconds(1));
  group = cluster.brokers().groups().all().at(0);
  const auto member = group->owner(0);
  ASSERT_TRUE(member);
  const auto first = group->heartbeat({*member, 1000, "", {}});
  ASSERT_TRUE(first);
  const std::uint64_t earlier = first->assignments.at(0).number;
  ASSERT_TRUE(group->kick(0));  // to the same member, as a new assignment
  EXPECT_EQ(group->heartbeat({*member, 1001, "", {{0, earlier}}})->assignments.size(), 1u);
  EXPECT_NE(group->heartbeat({*member, 1002, "", {}})->assignments[0].number, earlier);
  EXPECT_FALSE(group->heartbeat({*member, 1001, "", {}}));  // it came after a later one
}

TEST(SimulatedFault, ClocksOfHostsAndBrokersDifferWithinTheirBounds) {
  ClusterOptions options = options_with({});
  options.rates_differ = true;
  Cluster cluster(options, 50);
  std::vector<SimulatedHost*> hosts;
  for (int i = 0; i < 20; ++i) hosts.push_back(&cluster.add_host());
  std::vector<Instant> began;
  for (const auto* host : hosts) began.push_back(host->now().boot);
  cluster.run_for(seconds(100));
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto passed = hosts[i]->now().boot - began[i];
    EXPECT_GE(passed, seconds(99));
    EXPECT_LE(passed, seconds(101));
  }
  const auto partitions = cluster.brokers().topics().partitions();
  const auto [low, high] =
      std::minmax_element(partitions.begin(), partitions.end(),
                          [](const auto* a, const auto* b) { return a->skew() < b->skew(); });
  EXPECT_LE((*high)->skew() - (*low)->skew(), milliseconds(500));
  EXPECT_GT((*high)->skew() - (*low)->skew(), milliseconds(100));
}

TEST(SimulatedFault, EveryKindHasItsName) {
  const auto counts = FaultPlan().counts();
  EXPECT_EQ(counts.size(), kFaults);
  EXPECT_FALSE(counts.contains(""));
}

}  // namespace
}  // namespace penstock
