// Which partitions a member follows as a standby. Every member works it out by itself from what the
// group says of its members, and all come to the same result: for each partition, the processes that
// do not own it are ordered by a hash of their members and the partition (rendezvous hashing, Thaler
// and Ravishankar 1998), and the first ones follow it. So a member that comes or goes moves only its
// own share of the copies.
//
// Pure.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "topics/log.h"

namespace penstock {

// A client id that tells which process the member belongs to, because two members of one process
// are no standbys of each other.
[[nodiscard]] std::string client_id_of(std::string_view member, std::string_view process);

// With their ranks among the standbys of each, from 0. `own`: the client id of the member that asks.
// Empty if the group does not list it.
[[nodiscard]] std::map<PartitionId, int> partitions_to_follow(std::span<const GroupPeer> peers,
                                                              std::string_view own, int standbys,
                                                              int partitions);

}  // namespace penstock
