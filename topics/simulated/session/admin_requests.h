// A session's requests for the bounds of a partition and for the deletion of records. A request
// ends with its answer or its timeout, whichever comes first; it may still take effect later.
// Belongs to the simulator's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "topics/log.h"
#include "topics/simulated/brokers/brokers.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/session/inbox.h"

namespace penstock::simulated {

class AdminRequests final : public AdminAnswers {
 public:
  AdminRequests(const Link& link, Brokers& brokers, Inbox& inbox)
      : link_(link), brokers_(&brokers), inbox_(&inbox) {}
  AdminRequests(const AdminRequests&) = delete;
  AdminRequests& operator=(const AdminRequests&) = delete;

  // `name` is for messages; `partition` is null if there is none with that name.
  void bounds(TopicPartition of, Partition* partition, const std::string& name);
  void delete_records(TopicPartition of, Partition& partition, Offset before);

  // -- from the network
  [[nodiscard]] bool awaits(std::uint64_t request) const override {
    return requests_.contains(request);
  }
  void bounds_known(std::uint64_t request, const Result<Bounds>& bounds) override;
  void deleted(std::uint64_t request, const Status& status) override;

 private:
  // The number of a new request; `timed_out` is called if nothing has ended the request in time.
  std::uint64_t begin(TopicPartition of, std::function<void(std::uint64_t)> timed_out);

  Link link_;
  Brokers* brokers_;
  Inbox* inbox_;
  std::map<std::uint64_t, TopicPartition> requests_;
};

}  // namespace penstock::simulated
