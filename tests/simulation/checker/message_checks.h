// Checks the messages between queues and those to the dead topic: an honoured commit produces each
// message once, and it arrives as it was produced; a bad record is buried once, a misrouted record
// is forwarded once, and a follow-up job is produced only where an attempt has asked for it. One
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "consumer/job/handler.h"
#include "tests/simulation/checker/checked_run.h"

namespace penstock::simulation {

class MessageChecks {
 public:
  explicit MessageChecks(CheckedRun& run) : run_(run) {}

  // An attempt asks for follow-up jobs.
  void asked(const AttemptRequest& request, std::size_t jobs);
  // An honoured commit produces the message.
  void produced(const CommitFacts& facts, const Produced& message);
  // And buries a bad record with it.
  void buried(const CommitFacts& facts, const Produced& message);
  // The message may be a follow-up job or a forwarded record.
  void derived(const CommitFacts& facts, const Produced& message);
  // A record has entered a log that is no state topic's. `message` is its penstock-message, for
  // callers that have read it already.
  void arrived(const std::string& topic, PartitionId partition, const LogRecord& record);
  void arrived(const std::string& topic, PartitionId partition, const LogRecord& record,
               const std::string& message);

  // A record of the control topic, which may be a message.
  void control_arrived(PartitionId partition, const LogRecord& record);

  // The record at this place.
  [[nodiscard]] bool has_buried(const std::string& place) const { return buried_.contains(place); }
  [[nodiscard]] bool has_forwarded(const std::string& place) const {
    return forwarded_.contains(place);
  }
  [[nodiscard]] bool all_arrived() const;
  void check_end();

 private:
  struct Sent {
    std::string topic;
    PartitionId partition = 0;
    std::optional<std::string> key, value;
    std::uint64_t arrivals = 0;
  };

  CheckedRun& run_;
  std::map<std::string, Sent> sent_;  // by penstock-message
  std::set<std::string> buried_;      // penstock-source
  std::set<std::string> forwarded_;   // penstock-origin
  std::map<std::string, int> asked_;  // follow-ups, by the attempt's token
};

}  // namespace penstock::simulation
