// Messages between partitions where the log loses records that nobody has taken: the product's
// Outbox and Arrivals over a simulated cluster with every fault, a log whose beginning is removed
// under its readers, receivers and senders whose state is made anew, owners that go on beside the
// next one, and dead records that somebody sends back with their headers. Held against what entered
// the logs and what was read of them. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/rules.h"
#include "topics/simulated/cluster.h"

namespace penstock::simulation {

class GapChecks {
 public:
  GapChecks(std::uint64_t seed, Rules& rules);
  ~GapChecks();
  void run();

 private:
  class Sender;
  class Receiver;

  // A message that was acknowledged to its owner, so that its row has gone or may go.
  struct Sent {
    std::string source;
    PartitionId to = 0;
    std::optional<Offset> acknowledged;  // the last time, by an owner that nobody has replaced
    bool abandoned = false;              // its row was there when its sender's state was lost
  };

  void entered(const std::string& topic, PartitionId partition, const LogRecord& record);
  void send_back(PartitionId partition, const LogRecord& record);
  void send();
  void read();
  void cut();
  void disturb();
  void replace(std::size_t sender, std::size_t host);
  void abandon(const std::string& source, std::string_view key);
  void finish();
  void check_end();
  void check_told(PartitionId partition, std::uint64_t all, std::uint64_t of_current);
  [[nodiscard]] std::string source_of(std::size_t sender) const;

  Rules& rules_;
  simulated::Random random_;
  SimulatedCluster cluster_;
  std::vector<std::uint64_t> generations_;  // of the senders' states
  std::vector<std::unique_ptr<Sender>> senders_, replaced_;
  std::vector<std::unique_ptr<Receiver>> receivers_;
  std::map<std::string, Sent> sent_;                                       // by penstock-message
  std::map<std::pair<PartitionId, std::string>, std::uint64_t> in_order_;  // the last, by source
};

}  // namespace penstock::simulation
