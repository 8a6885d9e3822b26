#include "topics/embedded/group/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "topics/embedded/group/membership.h"

namespace penstock::embedded {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(15);

Instant at(int seconds) { return Instant{std::chrono::seconds(seconds)}; }

std::size_t revoked_count(const std::vector<HeldPartition>& held) {
  return static_cast<std::size_t>(
      std::count_if(held.begin(), held.end(), [](const HeldPartition& p) { return p.revoked; }));
}

TEST(Group, WhatNobodyHasTakenUpMovesWithoutBeingRevoked) {
  Group group(4, kTimeout);
  group.join(1, "", at(0));
  group.join(2, "", at(0));
  EXPECT_EQ(group.take_up(1).size(), 2u);
  EXPECT_EQ(group.take_up(2).size(), 2u);
  EXPECT_FALSE(group.deadline());
}

TEST(Group, WhatIsTakenUpMovesOnlyOnceItIsGivenBack) {
  Group group(4, kTimeout);
  group.join(1, "", at(0));
  group.take_up(1);
  group.join(2, "", at(1));
  const std::vector<HeldPartition> held = group.take_up(1);
  EXPECT_EQ(held.size(), 4u);
  EXPECT_EQ(revoked_count(held), 2u);
  EXPECT_TRUE(group.take_up(2).empty());
  for (const HeldPartition& p : held) group.finish_revoke(1, p.partition, p.grant, at(2));
  EXPECT_EQ(group.take_up(1).size(), 2u) << "what was not wanted back stays";
  EXPECT_EQ(group.take_up(2).size(), 2u);
}

TEST(Group, FinishingAnEarlierGrantGivesNothingBack) {
  Group group(2, kTimeout);
  group.join(1, "", at(0));
  const std::vector<HeldPartition> first = group.take_up(1);
  group.join(2, "", at(0));
  group.expire(at(15));
  const std::vector<HeldPartition> now = group.take_up(1);
  ASSERT_EQ(now.size(), 1u);
  for (const HeldPartition& p : first) {
    group.finish_revoke(2, p.partition, p.grant, at(16));
    group.finish_revoke(1, p.partition, p.grant + 100, at(16));
  }
  EXPECT_EQ(group.take_up(1).size(), 1u);
  EXPECT_EQ(group.take_up(2).size(), 1u);
}

TEST(Group, ARevokedPartitionIsTakenAtTheTimeoutAndNotBefore) {
  Group group(2, kTimeout);
  group.join(1, "", at(0));
  group.take_up(1);
  group.join(2, "", at(10));
  EXPECT_EQ(group.deadline(), at(25));
  group.expire(at(24));
  EXPECT_EQ(group.take_up(1).size(), 2u);
  group.expire(at(25));
  EXPECT_EQ(group.take_up(1).size(), 1u);
  EXPECT_EQ(group.take_up(2).size(), 1u);
  EXPECT_FALSE(group.deadline());
}

TEST(Group, AStaticMembersPartitionsWaitForItTheTimeout) {
  Group group(4, kTimeout);
  group.join(1, "a", at(0));
  group.join(2, "b", at(0));
  group.take_up(1);
  group.take_up(2);
  group.disappear(1, at(5));
  EXPECT_EQ(group.take_up(2).size(), 2u);
  group.expire(at(19));
  EXPECT_EQ(group.take_up(2).size(), 2u);
  group.expire(at(20));
  EXPECT_EQ(group.take_up(2).size(), 4u);
}

TEST(Group, AStaticMemberThatReturnsHasItsPartitionsUnderNewGrants) {
  Group group(4, kTimeout);
  group.join(1, "a", at(0));
  group.join(2, "b", at(0));
  const std::vector<HeldPartition> before = group.take_up(1);
  group.take_up(2);
  group.disappear(1, at(5));
  group.join(3, "a", at(6));
  const std::vector<HeldPartition> after = group.take_up(3);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].partition, before[i].partition);
    EXPECT_NE(after[i].grant, before[i].grant);
  }
  EXPECT_EQ(group.take_up(2).size(), 2u);
  EXPECT_FALSE(group.deadline());
}

TEST(Group, AMemberWithAnothersInstanceIdFencesIt) {
  Group group(2, kTimeout);
  group.join(1, "a", at(0));
  const std::vector<HeldPartition> before = group.take_up(1);
  group.join(2, "a", at(1));
  EXPECT_TRUE(group.fenced(1));
  EXPECT_FALSE(group.fenced(2));
  EXPECT_TRUE(group.take_up(1).empty());
  EXPECT_FALSE(group.holds(1, 0, before[0].grant));
  EXPECT_EQ(group.take_up(2).size(), 2u);
}

// Members come, go, die and dawdle at random; nobody ever acts on a partition that another holds.
TEST(Group, APartitionHasOneOwnerWhateverHappens) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    Group group(1 + static_cast<int>(random() % 10), kTimeout);
    std::set<MemberId> members;
    MemberId last = kNobody;
    for (int step = 0; step < 200; ++step) {
      const Instant now = at(step * 3);
      const MemberId some = members.empty() ? kNobody : *members.begin();
      switch (random() % 6) {
        case 0:
          group.join(++last, random() % 2 ? "i" + std::to_string(random() % 3) : "", now);
          members.insert(last);
          break;
        case 1:
          if (some) random() % 2 ? group.leave(some, now) : group.disappear(some, now);
          members.erase(some);
          break;
        case 2:
          group.expire(now);
          break;
        default:
          for (const MemberId member : members) {
            for (const HeldPartition& p : group.take_up(member)) {
              if (p.revoked && random() % 2) {
                group.finish_revoke(member, p.partition, p.grant, now);
              }
            }
          }
      }
      std::set<PartitionId> owned;
      for (const MemberId member : members) {
        for (const HeldPartition& p : group.take_up(member)) {
          EXPECT_TRUE(owned.insert(p.partition).second) << "seed " << seed << " step " << step;
          EXPECT_TRUE(group.holds(member, p.partition, p.grant));
        }
      }
    }
  }
}

TEST(Membership, ANewGrantOfTheSamePartitionIsLostAndAssigned) {
  Membership membership;
  EXPECT_EQ(membership.update({{0, 1, false}}).assigned, std::vector<PartitionId>{0});
  const GroupNews news = membership.update({{0, 2, false}});
  EXPECT_EQ(news.lost, std::vector<PartitionId>{0});
  EXPECT_EQ(news.assigned, std::vector<PartitionId>{0});
  EXPECT_EQ(membership.grant_of(0), 2u);
}

TEST(Membership, RevokingIsToldOnce) {
  Membership membership;
  membership.update({{0, 1, false}});
  EXPECT_EQ(membership.update({{0, 1, true}}).revoked, std::vector<PartitionId>{0});
  EXPECT_TRUE(membership.update({{0, 1, true}}).revoked.empty());
}

TEST(Membership, WhatWasGivenBackIsNotLost) {
  Membership membership;
  membership.update({{0, 1, false}});
  membership.update({{0, 1, true}});
  membership.forget(0);
  EXPECT_TRUE(membership.update({}).lost.empty());
  EXPECT_EQ(membership.grant_of(0), std::nullopt);
}

}  // namespace
}  // namespace penstock::embedded
