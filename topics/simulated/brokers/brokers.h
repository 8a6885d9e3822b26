// The simulated brokers: their topics and groups, and how they handle requests that have reached
// them. Each answer travels over the request's link, and arrives only if the session still exists.
// Belongs to the simulator's thread.
#pragma once

#include <cstdint>
#include <optional>

#include "topics/simulated/brokers/groups.h"
#include "topics/simulated/brokers/requests.h"
#include "topics/simulated/brokers/topics.h"
#include "topics/simulated/network/link.h"
#include "topics/simulated/world/world.h"

namespace penstock::simulated {

class Brokers {
 public:
  explicit Brokers(World& world) : world_(&world), topics_(world), groups_(world) {}

  [[nodiscard]] Topics& topics() { return topics_; }
  [[nodiscard]] const Topics& topics() const { return topics_; }
  [[nodiscard]] Groups& groups() { return groups_; }
  [[nodiscard]] const Groups& groups() const { return groups_; }

  void handle(const Link& link, const ProduceRequest& request);
  void handle(const Link& link, const FetchRequest& request);
  void handle(const Link& link, const BoundsRequest& request);
  void handle(const Link& link, const DeleteRequest& request);

 private:
  [[nodiscard]] bool is_away(const Partition& partition) const;
  template <typename Request>
  bool waits(const Link& link, const Partition& partition, const Request& request);
  bool begins(const ProduceRequest& request);
  Offset take(const Link& link, const ProduceRequest& request);
  void acknowledge(const Link& link, const ProduceRequest& request, std::optional<Offset> first);

  World* world_;
  Topics topics_;
  Groups groups_;
};

}  // namespace penstock::simulated
