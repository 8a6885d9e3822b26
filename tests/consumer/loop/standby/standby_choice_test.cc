#include "consumer/loop/standby/standby_choice.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace penstock {
namespace {

constexpr int kPartitions = 24;

// Members of processes, one each, that own the partitions in turn.
std::vector<GroupPeer> group_of(int members) {
  std::vector<GroupPeer> peers;
  for (int i = 0; i < members; ++i)
    peers.push_back({client_id_of("penstock-q-0", "process" + std::to_string(i)), {}});
  for (PartitionId partition = 0; partition < kPartitions; ++partition)
    peers[static_cast<std::size_t>(partition % members)].partitions.push_back(partition);
  return peers;
}

// Who follows each partition, in the order of the ranks.
std::map<PartitionId, std::vector<std::string>> followers(const std::vector<GroupPeer>& peers,
                                                          int standbys) {
  std::map<PartitionId, std::vector<std::string>> followers;
  for (int rank = 0; rank < standbys; ++rank) {
    for (const GroupPeer& peer : peers) {
      for (const auto& [partition, own] :
           partitions_to_follow(peers, peer.client_id, standbys, kPartitions)) {
        if (own == rank) followers[partition].push_back(peer.client_id);
      }
    }
  }
  return followers;
}

RC_GTEST_PROP(StandbyChoice, EachPartitionIsFollowedByAsManyOthersAsAreWanted, ()) {
  const int members = *rc::gen::inRange(1, 9);
  const int standbys = *rc::gen::inRange(0, 4);
  const auto peers = group_of(members);
  const auto found = followers(peers, standbys);
  for (PartitionId partition = 0; partition < kPartitions; ++partition) {
    const auto at = found.find(partition);
    const std::size_t count = at == found.end() ? 0 : at->second.size();
    RC_ASSERT(count == static_cast<std::size_t>(std::min(standbys, members - 1)));
    if (count == 0) continue;
    const std::set<std::string> different(at->second.begin(), at->second.end());
    RC_ASSERT(different.size() == count);
    RC_ASSERT(!different.contains(peers[static_cast<std::size_t>(partition % members)].client_id));
  }
}

TEST(StandbyChoice, MembersOfTheOwnersProcessAreNoStandbys) {
  std::vector<GroupPeer> peers{{client_id_of("a", "one"), {0}}, {client_id_of("b", "one"), {1}}};
  for (const PartitionId owned : {0, 1}) EXPECT_FALSE(followers(peers, 1).contains(owned));
  peers.push_back({client_id_of("c", "two"), {}});
  peers.push_back({client_id_of("d", "two"), {}});
  // One member of the other process each.
  const auto found = followers(peers, 2);
  EXPECT_EQ(found.at(0).size(), 1u);
  EXPECT_EQ(found.at(1).size(), 1u);
}

TEST(StandbyChoice, AMemberThatLeavesMovesOnlyItsOwnCopies) {
  auto peers = group_of(6);
  for (GroupPeer& peer : peers) peer.partitions.clear();
  const auto before = followers(peers, 1);
  const std::string gone = peers.back().client_id;
  peers.pop_back();
  const auto after = followers(peers, 1);
  int moved = 0;
  for (const auto& [partition, by] : before) {
    if (by.front() == gone) {
      ++moved;
    } else {
      EXPECT_EQ(after.at(partition), by) << partition;
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(StandbyChoice, WhoeverTheGroupDoesNotListFollowsNothing) {
  EXPECT_TRUE(partitions_to_follow(group_of(3), "penstock-q-0@other", 1, kPartitions).empty());
}

TEST(StandbyChoice, PartitionsThatTheQueueDoesNotHaveAreLeftOut) {
  const std::vector<GroupPeer> peers{{"a@1", {0, 99, -1}}, {"b@2", {}}};
  EXPECT_EQ(partitions_to_follow(peers, "b@2", 1, 1), (std::map<PartitionId, int>{{0, 0}}));
}

}  // namespace
}  // namespace penstock
