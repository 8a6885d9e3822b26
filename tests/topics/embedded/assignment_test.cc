#include "topics/embedded/group/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace penstock::embedded {
namespace {

std::map<MemberId, int> counts(const std::vector<MemberId>& owners) {
  std::map<MemberId, int> counts;
  for (const MemberId owner : owners) ++counts[owner];
  return counts;
}

void expect_fair(const std::vector<MemberId>& members, const std::vector<MemberId>& owners) {
  std::map<MemberId, int> held = counts(owners);
  int least = static_cast<int>(owners.size());
  int most = 0;
  for (const MemberId member : members) {
    least = std::min(least, held[member]);
    most = std::max(most, held[member]);
  }
  EXPECT_LE(most - least, 1);
  EXPECT_EQ(held[kNobody], 0);
}

TEST(Assignment, WithoutMembersEverythingIsNobodys) {
  EXPECT_EQ(assign_fairly({}, {1, 2, 1}), std::vector<MemberId>(3, kNobody));
}

TEST(Assignment, AFairAssignmentStaysAsItIs) {
  const std::vector<MemberId> owners = {1, 2, 3, 1, 2, 1};
  const std::vector<MemberId> stays = {1, 2, 3, 1, 2, 3};
  EXPECT_EQ(assign_fairly({1, 2, 3}, stays), stays);
  expect_fair({1, 2, 3}, assign_fairly({1, 2, 3}, owners));
}

TEST(Assignment, WhoHasTheMostKeepsTheOddOne) {
  EXPECT_EQ(assign_fairly({1, 2}, {2, 2, 1}), (std::vector<MemberId>{2, 2, 1}));
  EXPECT_EQ(assign_fairly({1, 2}, {1, 2, 1}), (std::vector<MemberId>{1, 2, 1}));
}

TEST(Assignment, MoreMembersThanPartitionsLeaveSomeWithNone) {
  const std::vector<MemberId> owners = assign_fairly({1, 2, 3, 4, 5}, {kNobody, kNobody, 4});
  expect_fair({1, 2, 3, 4, 5}, owners);
  EXPECT_EQ(owners[2], 4u);
}

// As many must move as some member has beyond its share; no more do.
TEST(Assignment, MovesNoMoreThanFairnessNeeds) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<MemberId> members;
    for (MemberId id = 1; id <= 1 + random() % 8; ++id) members.push_back(id);
    std::vector<MemberId> before(1 + random() % 30);
    for (MemberId& owner : before)
      owner = random() % (members.size() + 2);  // nobody and a stranger
    const std::vector<MemberId> after = assign_fairly(members, before);
    expect_fair(members, after);
    int kept = 0;
    for (std::size_t p = 0; p < before.size(); ++p) kept += before[p] == after[p] ? 1 : 0;
    std::vector<std::size_t> held;
    for (const MemberId member : members) {
      held.push_back(static_cast<std::size_t>(std::count(before.begin(), before.end(), member)));
    }
    std::sort(held.rbegin(), held.rend());
    std::size_t can_keep = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::size_t odd_one = i < before.size() % members.size() ? 1 : 0;
      can_keep += std::min(held[i], before.size() / members.size() + odd_one);
    }
    EXPECT_EQ(static_cast<std::size_t>(kept), can_keep);
  }
}

TEST(Assignment, TheSameInputGivesTheSameAnswer) {
  const std::vector<MemberId> owners(12, kNobody);
  EXPECT_EQ(assign_fairly({1, 2, 3}, owners), assign_fairly({1, 2, 3}, owners));
}

}  // namespace
}  // namespace penstock::embedded
