// The groups of the log, and the mailboxes to notify when one changes. Everything here may be
// called from any thread.
//
// As in Kafka, members of one group that read different topics do not affect each other; so a group
// here is the pair of a group's name and a topic.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/group/group.h"
#include "topics/embedded/group/membership.h"

namespace penstock::embedded {

class Coordinator {
 public:
  explicit Coordinator(Duration session_timeout);
  ~Coordinator();

  struct Entry;
  // One member's membership of its group. Valid until leave() or disappear().
  struct Seat {
    Entry* group = nullptr;
    MemberId member = kNobody;
  };

  [[nodiscard]] Seat join(std::string_view group, std::string_view topic, int partitions,
                          const std::string& instance_id, Mailbox& mailbox);
  void leave(Seat seat);
  void disappear(Seat seat);
  void finish_revoke(Seat seat, PartitionId partition, std::uint64_t grant);
  [[nodiscard]] bool holds(Seat seat, PartitionId partition, std::uint64_t grant) const;

  struct Standing {
    bool fenced = false;  // another member has joined with the same instance id
    std::vector<HeldPartition> held;
  };
  [[nodiscard]] Standing standing(Seat seat);

  // Applies timeouts; cheap when none is due. Returns the time until the next one.
  std::chrono::nanoseconds expire(Instant now);

 private:
  void changed(Entry& entry);

  const Duration session_timeout_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Entry>> groups_;
  MemberId last_member_ = kNobody;
  std::atomic<Instant::rep> next_deadline_ = Instant::max().time_since_epoch().count();
};

}  // namespace penstock::embedded
