// Groups of the Kafka log, against a real broker.
#include "tests/integration/kafka_log_fixture.h"

namespace penstock {
namespace {

TEST_F(KafkaLogTest, TwoMembersShareThePartitionsAfterTheRevokedOnesAreFinished) {
  const std::string name = make_topic(4);
  const std::string group = unique_name();
  Actor first = open();
  Actor second = open();
  first.session->join(first.session->topic(name), group);
  ASSERT_TRUE(run(first, [&] { return first.heard.held.size() == 4; }));

  second.session->join(second.session->topic(name), group);
  ASSERT_TRUE(run({&first, &second}, [&] { return first.heard.revoked.size() == 2; }));
  // Not before finish_revoke of both: the second stays empty through one more answer of the group.
  const PartitionId kept_back = *first.heard.revoked.begin();
  first.session->finish_revoke(*first.heard.revoked.rbegin());
  first.session->check_membership(kept_back);
  ASSERT_TRUE(run({&first, &second}, [&] { return !first.heard.membership.empty(); }));
  EXPECT_EQ(first.heard.membership.front(), std::pair(kept_back, true));
  EXPECT_TRUE(second.heard.held.empty());

  first.session->finish_revoke(kept_back);
  ASSERT_TRUE(run({&first, &second}, [&] { return second.heard.held.size() == 2; }));
  EXPECT_EQ(second.heard.held, first.heard.revoked);
  EXPECT_TRUE(first.heard.lost.empty());
}

TEST_F(KafkaLogTest, AMemberThatLeavesGivesItsPartitionsToTheOther) {
  const std::string name = make_topic(3);
  const std::string group = unique_name();
  Actor first = open();
  Actor second = open();
  first.session->join(first.session->topic(name), group);
  ASSERT_TRUE(run(first, [&] { return first.heard.held.size() == 3; }));
  second.session->join(second.session->topic(name), group);
  first.session->leave();
  ASSERT_TRUE(run({&second, &first}, [&] { return second.heard.held.size() == 3; }));
  EXPECT_TRUE(first.heard.lost.empty());
}

TEST_F(KafkaLogTest, ASessionThatEndsGivesItsPartitionsToTheOther) {
  const std::string name = make_topic(2);
  const std::string group = unique_name();
  Actor second = open();
  {
    Actor first = open();
    first.session->join(first.session->topic(name), group);
    ASSERT_TRUE(run(first, [&] { return first.heard.held.size() == 2; }));
  }
  second.session->join(second.session->topic(name), group);
  EXPECT_TRUE(run(
      {&second}, [&] { return second.heard.held.size() == 2; }, seconds(10)));
}

TEST_F(KafkaLogTest, MembershipIsAnsweredByTheGroup) {
  const std::string name = make_topic(2);
  Actor actor = open();
  actor.session->join(actor.session->topic(name), unique_name());
  ASSERT_TRUE(run(actor, [&] { return actor.heard.held.size() == 2; }));
  actor.session->check_membership(0);
  actor.session->check_membership(1);
  actor.session->check_membership(9);
  ASSERT_TRUE(run(actor, [&] { return actor.heard.membership.size() == 3; }));
  for (const auto& [partition, held] : actor.heard.membership) EXPECT_EQ(held, partition != 9);
}

TEST_F(KafkaLogTest, AMemberThatDoesNotPollLosesItsPartitionsIsToldAndJoinsAgain) {
  Result<std::unique_ptr<Log>> hasty = open_kafka({{"bootstrap.servers", brokers_},
                                                   {"session.timeout.ms", "6000"},
                                                   {"max.poll.interval.ms", "6000"}});
  ASSERT_TRUE(hasty);
  const std::string name = make_topic(2);
  const std::string group = unique_name();
  Actor absent{*(*hasty)->open({}), {}};
  absent.session->join(absent.session->topic(name), group);
  ASSERT_TRUE(run(absent, [&] { return absent.heard.held.size() == 2; }));
  Actor heir = open();
  heir.session->join(heir.session->topic(name), group);
  ASSERT_TRUE(run(heir, [&] { return heir.heard.held.size() == 2; }));

  // What a revocation that came meanwhile leaves to it is settled by joining again; it may be all.
  ASSERT_TRUE(run({&absent, &heir}, [&] { return !absent.heard.lost.empty(); }));
  const PartitionId lost = *absent.heard.lost.begin();
  absent.session->check_membership(lost);
  ASSERT_TRUE(run({&absent, &heir}, [&] { return !absent.heard.membership.empty(); }));
  EXPECT_EQ(absent.heard.membership.front(), std::pair(lost, false));

  const auto give_back = [](Actor& actor) {
    for (const PartitionId partition : std::exchange(actor.heard.revoked, {})) {
      actor.session->finish_revoke(partition);
      actor.heard.held.erase(partition);
    }
  };
  EXPECT_TRUE(run({&absent, &heir}, [&] {
    give_back(absent);
    give_back(heir);
    return absent.heard.held.size() == 1 && heir.heard.held.size() == 1 &&
           absent.heard.held != heir.heard.held;
  }));
}

TEST_F(KafkaLogTest, AnInstanceThatIsTakenOverLosesItsPartitionsAndSaysSo) {
  const std::string name = make_topic(2);
  const std::string group = unique_name();
  Actor first = open({.client_id = "one", .instance_id = "same"});
  first.session->join(first.session->topic(name), group);
  ASSERT_TRUE(run(first, [&] { return first.heard.held.size() == 2; }));
  Actor second = open({.client_id = "two", .instance_id = "same"});
  second.session->join(second.session->topic(name), group);
  ASSERT_TRUE(run({&first, &second}, [&] { return second.heard.held.size() == 2; }));
  ASSERT_TRUE(run({&first, &second}, [&] { return !first.heard.fatal.empty(); }));
  EXPECT_EQ(first.heard.lost, (std::set<PartitionId>{0, 1}));
  EXPECT_THAT(first.heard.fatal.front(), HasSubstr("instance"));
}

TEST_F(KafkaLogTest, JoiningForAMissingTopicSaysWhatToDo) {
  Actor actor = open();
  actor.session->join(actor.session->topic(unique_name()), unique_name());
  ASSERT_TRUE(run(actor, [&] { return !actor.heard.fatal.empty(); }));
  EXPECT_THAT(actor.heard.fatal.front(), HasSubstr("penstock topics create"));
}

}  // namespace
}  // namespace penstock
