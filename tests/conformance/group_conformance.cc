// What a log promises to the members of a group.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/conformance/log_conformance.h"

namespace penstock {
namespace {

constexpr int kPartitions = 6;

// The members of one group that a test knows of.
class Group {
 public:
  Group(std::string topic, std::string name) : topic_(std::move(topic)), name_(std::move(name)) {}

  void join(Member& member) {
    member->join(member->topic(topic_), name_);
    members_.push_back(&member);
  }
  void forget(const Member& member) { std::erase(members_, &member); }

  // Gives back what is wanted back. True once each partition is one member's, fairly.
  bool balances() {
    EXPECT_FALSE(any_held_twice());
    if (balanced()) return true;
    for (Member* member : members_) member->finish_all_revoked();
    return false;
  }

 private:
  [[nodiscard]] bool balanced() const {
    std::size_t all = 0;
    std::size_t least = kPartitions;
    std::size_t most = 0;
    for (const Member* member : members_) {
      all += member->held().size();
      least = std::min(least, member->held().size());
      most = std::max(most, member->held().size());
      if (!member->revoked.empty()) return false;
    }
    return all == kPartitions && most - least <= 1;
  }

  [[nodiscard]] bool any_held_twice() const {
    std::set<PartitionId> seen;
    for (const Member* member : members_) {
      for (const PartitionId partition : member->held()) {
        if (!seen.insert(partition).second) return true;
      }
    }
    return false;
  }

  std::string topic_;
  std::string name_;
  std::vector<Member*> members_;
};

TEST_P(LogConformance, AloneInTheGroupAMemberGetsEveryPartition) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& member = open();
  group.join(member);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(member.held().size(), static_cast<std::size_t>(kPartitions));
}

TEST_P(LogConformance, TwoMembersShareThePartitionsEachWithOneOwner) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  Member& second = open();
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(first.held().size(), 3u);
  EXPECT_EQ(second.held().size(), 3u);
}

TEST_P(LogConformance, GroupsDoNotConcernEachOther) {
  const std::string topic = new_topic(kPartitions);
  Group one(topic, new_name("group"));
  Group other(topic, new_name("group"));
  Member& first = open();
  Member& second = open();
  one.join(first);
  other.join(second);
  ASSERT_TRUE(until([&] { return one.balances() && other.balances(); }));
  EXPECT_EQ(first.held().size(), static_cast<std::size_t>(kPartitions));
  EXPECT_EQ(second.held().size(), static_cast<std::size_t>(kPartitions));
}

TEST_P(LogConformance, AThirdMemberGetsPartitionsOnlyOnceTheyAreGivenBack) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  Member& second = open();
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  Member& third = open();
  group.join(third);
  ASSERT_TRUE(until([&] { return first.revoked.size() + second.revoked.size() == 2; }));
  Member& revoked = first.revoked.empty() ? second : first;
  const PartitionId partition = *revoked.revoked.begin();
  EXPECT_TRUE(holds(revoked, partition))
      << "a revoked partition is its member's until it is finished";
  EXPECT_FALSE(third.held().contains(partition));
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(third.held().size(), 2u);
  EXPECT_TRUE(first.lost.empty());
  EXPECT_TRUE(second.lost.empty());
}

TEST_P(LogConformance, WhoKeepsAPartitionIsNotCalledForIt) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  group.join(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  const std::set<PartitionId> all = first.held();
  Member& second = open();
  group.join(second);
  ASSERT_TRUE(until([&] { return !first.revoked.empty(); }));
  EXPECT_EQ(first.revoked.size(), 3u) << "only what moves is revoked";
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), first.held().begin(), first.held().end()));
}

TEST_P(LogConformance, APartitionNotFinishedInTimeIsLost) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& slow = open();
  group.join(slow);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  Member& quick = open();
  group.join(quick);
  ASSERT_TRUE(until([&] { return !slow.revoked.empty(); }));
  const PartitionId partition = *slow.revoked.begin();
  if (!bounds_revocations()) {
    EXPECT_FALSE(quick.held().contains(partition)) << "it is the slow member's until it finishes";
    return;
  }
  ASSERT_TRUE(until([&] { return slow.lost.contains(partition); }));
  EXPECT_FALSE(slow.held().contains(partition));
  ASSERT_TRUE(until([&] { return group.balances(); }));
}

TEST_P(LogConformance, WhoLeavesGivesEverythingBackAndHearsNothingOfIt) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  Member& second = open();
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  const int calls = first.group_calls;
  first->leave();
  group.forget(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(second.held().size(), static_cast<std::size_t>(kPartitions));
  settle();
  EXPECT_EQ(first.group_calls, calls);
}

TEST_P(LogConformance, AStaticMemberThatLeavesGivesEverythingBackToo) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open(new_name("instance"));
  Member& second = open(new_name("instance"));
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  first->leave();
  group.forget(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(second.held().size(), static_cast<std::size_t>(kPartitions));
}

TEST_P(LogConformance, WhatADeadSessionHadIsTakenOverByTheOthers) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  Member& second = open();
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  first.die();
  group.forget(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(second.held().size(), static_cast<std::size_t>(kPartitions));
}

TEST_P(LogConformance, AStaticMemberThatComesBackFindsItsPartitions) {
  Group group(new_topic(kPartitions), new_name("group"));
  const std::string instance = new_name("instance");
  Member& first = open(instance);
  Member& second = open(new_name("instance"));
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  const std::set<PartitionId> before = first.held();
  const int calls = second.group_calls;
  first.die();
  group.forget(first);
  Member& again = open(instance);
  group.join(again);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(again.held(), before);
  EXPECT_EQ(second.group_calls, calls) << "the others do not notice";
}

TEST_P(LogConformance, AStaticMemberThatStaysAwayLosesItsPartitions) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open(new_name("instance"));
  Member& second = open(new_name("instance"));
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  first.die();
  group.forget(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_EQ(second.held().size(), static_cast<std::size_t>(kPartitions));
}

TEST_P(LogConformance, OfTwoSessionsWithOneInstanceIdTheEarlierIsOut) {
  const std::string topic = new_topic(kPartitions);
  const std::string name = new_name("group");
  const std::string instance = new_name("instance");
  Member& earlier = open(instance);
  earlier->join(earlier->topic(topic), name);
  ASSERT_TRUE(until([&] { return earlier.held().size() == kPartitions; }));
  Member& later = open(instance);
  later->join(later->topic(topic), name);
  ASSERT_TRUE(until([&] { return later.held().size() == kPartitions && !earlier.fatal.empty(); }));
  EXPECT_TRUE(earlier.held().empty()) << "it was told that its partitions are lost";
}

TEST_P(LogConformance, MembershipIsTrueWhileThePartitionIsHeld) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& member = open();
  EXPECT_FALSE(holds(member, 0)) << "before it has joined";
  group.join(member);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  for (PartitionId p = 0; p < kPartitions; ++p) EXPECT_TRUE(holds(member, p));
}

TEST_P(LogConformance, MembershipIsFalseForWhatAnotherHolds) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  Member& second = open();
  group.join(first);
  group.join(second);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  for (PartitionId p = 0; p < kPartitions; ++p) {
    EXPECT_EQ(holds(first, p), first.held().contains(p));
    EXPECT_EQ(holds(second, p), second.held().contains(p));
  }
}

TEST_P(LogConformance, MembershipIsFalseAfterGivingBack) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& first = open();
  group.join(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  Member& second = open();
  group.join(second);
  ASSERT_TRUE(until([&] { return !first.revoked.empty(); }));
  const PartitionId partition = *first.revoked.begin();
  ASSERT_TRUE(until([&] { return group.balances(); }));
  EXPECT_FALSE(holds(first, partition));
}

TEST_P(LogConformance, JoiningForAnUnknownTopicIsFatal) {
  Member& member = open();
  const std::string name = new_name("missing");
  member->join(member->topic(name), new_name("group"));
  ASSERT_TRUE(until([&] { return !member.fatal.empty(); }));
  EXPECT_NE(member.fatal.front().find(name), std::string::npos);
  EXPECT_TRUE(member.held().empty());
}

TEST_P(LogConformance, WhatAGroupHasCommittedIsThereForItsNextMemberAndForNoOtherGroup) {
  const std::string topic = new_topic(kPartitions);
  const std::string name = new_name("group");
  Group group(topic, name);
  Member& first = open();
  group.join(first);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  first->commit_offset(2, Offset{41});
  ASSERT_TRUE(until([&] { return group_offset_of(first, 2) == 41; }));
  first->leave();
  group.forget(first);
  Member& second = open();
  group.join(second);
  EXPECT_EQ(group_offset_of(second, 2), 41);
  Group other(topic, new_name("group"));
  Member& stranger = open();
  other.join(stranger);
  EXPECT_EQ(group_offset_of(stranger, 2), -1);
}

TEST_P(LogConformance, CommittingAnOffsetDisturbsNothing) {
  Group group(new_topic(kPartitions), new_name("group"));
  Member& member = open();
  group.join(member);
  ASSERT_TRUE(until([&] { return group.balances(); }));
  for (PartitionId p = 0; p < kPartitions; ++p) member->commit_offset(p, Offset{p});
  settle();
  EXPECT_TRUE(member.fatal.empty());
  EXPECT_EQ(member.held().size(), static_cast<std::size_t>(kPartitions));
}

}  // namespace
}  // namespace penstock
