#include "consumer/loop/standby/standby_choice.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "state/rows/digest.h"

namespace penstock {
namespace {

constexpr char kProcessMark = '@';

std::string_view process_of(std::string_view client_id) {
  const std::size_t mark = client_id.rfind(kProcessMark);
  return mark == std::string_view::npos ? client_id : client_id.substr(mark + 1);
}

std::uint64_t weight(std::string_view client_id, PartitionId partition) {
  std::string text(client_id);
  text += '/';
  text += std::to_string(partition);
  return bytes_hash(text);
}

// Of one process: its member that would follow the partition.
struct Candidate {
  std::uint64_t weight = 0;
  std::string_view client_id;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.client_id < b.client_id;
  }
};

std::vector<Candidate> standbys_of(std::span<const GroupPeer> peers, std::string_view owner,
                                   PartitionId partition) {
  std::map<std::string_view, Candidate> by_process;
  for (const GroupPeer& peer : peers) {
    const std::string_view process = process_of(peer.client_id);
    if (!owner.empty() && process == process_of(owner)) continue;
    const Candidate candidate{weight(peer.client_id, partition), peer.client_id};
    const auto [found, is_new] = by_process.try_emplace(process, candidate);
    if (!is_new && candidate < found->second) found->second = candidate;
  }
  std::vector<Candidate> candidates;
  for (const auto& [process, candidate] : by_process) candidates.push_back(candidate);
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

}  // namespace

std::string client_id_of(std::string_view member, std::string_view process) {
  return std::string(member) + kProcessMark + std::string(process);
}

std::map<PartitionId, int> partitions_to_follow(std::span<const GroupPeer> peers,
                                                std::string_view own, int standbys,
                                                int partitions) {
  std::vector<std::string_view> owners(static_cast<std::size_t>(partitions));
  for (const GroupPeer& peer : peers) {
    for (const PartitionId partition : peer.partitions) {
      if (partition >= 0 && partition < partitions)
        owners[static_cast<std::size_t>(partition)] = peer.client_id;
    }
  }
  std::map<PartitionId, int> chosen;
  for (PartitionId partition = 0; partition < partitions; ++partition) {
    const auto candidates =
        standbys_of(peers, owners[static_cast<std::size_t>(partition)], partition);
    const auto most = std::min(candidates.size(), static_cast<std::size_t>(standbys));
    for (std::size_t rank = 0; rank < most; ++rank) {
      if (candidates[rank].client_id == own) chosen.emplace(partition, static_cast<int>(rank));
    }
  }
  return chosen;
}

}  // namespace penstock
