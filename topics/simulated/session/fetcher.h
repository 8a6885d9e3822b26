// A session's reads. Each partition has at most one fetch in flight. Its records go into the
// session's inbox, and no more are fetched while too many are there. Belongs to the simulator's
// thread.
#pragma once

#include <cstdint>
#include <vector>

#include "topics/log.h"
#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/session/inbox.h"

namespace penstock::simulated {

inline constexpr std::size_t kMaxFetched = 2 * kMaxRecordsPerPoll;  // records in an inbox

class Fetcher final : public FetchAnswers {
 public:
  Fetcher(const Link& link, Brokers& brokers, Inbox& inbox)
      : link_(link), brokers_(&brokers), inbox_(&inbox) {}
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  void read(TopicPartition from, Partition& partition, Offset position);
  void stop(TopicPartition from);
  // The partition of a read; null if the read has been stopped.
  [[nodiscard]] const Partition* reading(std::uint64_t read) const;
  // `count` records of a read have left the inbox.
  void handed_on(std::size_t count);

  // -- from the network
  void fetched(std::uint64_t read, Offset first, std::uint64_t count) override;
  void out_of_range(std::uint64_t read, Offset position) override;

 private:
  struct Read {
    std::uint64_t id;
    TopicPartition from;
    Partition* partition;
    Offset next;
    bool began_in_range;
    bool stalled = false;
  };
  Read* find(std::uint64_t id);
  void fetch(Read& read);

  Link link_;
  Brokers* brokers_;
  Inbox* inbox_;
  std::uint64_t reads_made_ = 0;
  std::size_t lying_ = 0;
  std::vector<Read> reads_;
};

}  // namespace penstock::simulated
