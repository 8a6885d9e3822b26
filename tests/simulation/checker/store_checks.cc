#include "tests/simulation/checker/store_checks.h"

namespace penstock::simulation {

void StoreChecks::applied(std::size_t host, PartitionId partition, const LogPosition& position,
                          bool restoring) {
  if (run_.rules().recreated) return;
  // Where somebody else cut the log, its first record may be a displaced owner's: a restore that
  // begins there stops before it owns anything, and one that does not stop is checked at its claim.
  if (restoring && run_.settings().foreign_trims) return;
  const Reference& reference = run_.reference(partition);
  const bool counts = reference.honoured(position.at.value) &&
                      reference.seq_at(position.at.value) == position.seq &&
                      reference.hash_at(position.at.value) == position.hash;
  run_.rules().check(Rule::kCommitsHonoured, counts, [&] {
    return "host " + std::to_string(host) + " counts seq " + std::to_string(position.seq) +
           " at p" + std::to_string(partition) + "@" + std::to_string(position.at.value) +
           ", which the log does not honour";
  });
}

void StoreChecks::restored(std::size_t host, PartitionId partition, Offset epoch,
                           const MemoryStore::Contents& contents) {
  if (run_.rules().recreated) return;
  const Reference& reference = run_.reference(partition);
  std::uint64_t digest = 0;
  for (const auto& [key, value] : contents.rows) digest ^= row_hash(key, value);
  const std::uint64_t seq = contents.position ? contents.position->seq : 0;
  run_.rules().check(
      Rule::kRestored,
      digest == reference.digest_at(epoch.value) && seq == reference.seq_at(epoch.value), [&] {
        return "host " + std::to_string(host) + " has other rows of p" + std::to_string(partition) +
               " at its claim @" + std::to_string(epoch.value) +
               " than the honoured history (seq " + std::to_string(seq) + ", honoured " +
               std::to_string(reference.seq_at(epoch.value)) + ")";
      });
}

void StoreChecks::discarded(std::size_t host, PartitionId partition,
                            const std::optional<LogPosition>& copy) {
  if (!run_.rules().recreated || !run_.settings().recreates_state || !copy) return;
  const TopicUuid log = run_.cluster().partition(names().state_topic(), partition).topic_uuid();
  run_.rules().check(Rule::kRecreated, !are_different(copy->log, log), [&] {
    return "host " + std::to_string(host) + " forgets its copy of p" + std::to_string(partition) +
           " of the topic that was deleted";
  });
}

void StoreChecks::standby(PartitionId partition, std::int64_t goal, std::uint64_t digest,
                          std::uint64_t seq, bool whole) {
  if (run_.rules().recreated) return;
  const Reference& reference = run_.reference(partition);
  if (!whole && run_.settings().foreign_trims) return;  // it says so
  run_.rules().check(
      Rule::kStandby,
      whole && digest == reference.digest_at(goal - 1) && seq == reference.seq_at(goal - 1), [&] {
        return "a standby of p" + std::to_string(partition) + " at @" + std::to_string(goal - 1) +
               (whole ? " has other rows than the honoured history (seq "
                      : " finds the log's start missing (seq ") +
               std::to_string(seq) + ", honoured " + std::to_string(reference.seq_at(goal - 1)) +
               ")";
      });
}

}  // namespace penstock::simulation
