#include "topics/simulated/session/admin_requests.h"

#include <utility>

namespace penstock::simulated {
namespace {

constexpr Nanos kSaysSoon = std::chrono::milliseconds(1);

}  // namespace

std::uint64_t AdminRequests::begin(TopicPartition of,
                                   std::function<void(std::uint64_t)> timed_out) {
  const std::uint64_t id = link_.world().unique();
  requests_.emplace(id, of);
  link_.after(link_.world().options().request_timeout,
              [this, id, timed_out = std::move(timed_out)] {
                if (!awaits(id)) return;
                link_.world().faults().count(Fault::kRequestTimeout);
                timed_out(id);
              });
  return id;
}

void AdminRequests::bounds(TopicPartition of, Partition* partition, const std::string& name) {
  const auto fails = [this](std::string why) {
    return [this, why = std::move(why)](std::uint64_t id) { bounds_known(id, failure(why)); };
  };
  if (partition == nullptr) {
    const std::uint64_t id = begin(of, fails("no answer"));
    return link_.after(
        kSaysSoon, [id, fail = fails(name + " does not exist: create the topic")] { fail(id); });
  }
  const std::uint64_t id =
      begin(of, fails("no broker has told the bounds of " + name + " in time: ask again"));
  const BoundsRequest asked{partition, id, this};
  link_.to_broker(Care::kLossy, nullptr,
                  [brokers = brokers_, link = link_, asked] { brokers->handle(link, asked); });
}

void AdminRequests::delete_records(TopicPartition of, Partition& partition, Offset before) {
  const auto timed_out = [this](std::uint64_t id) {
    deleted(id, failure("no broker has confirmed in time that the records were deleted: they "
                        "may yet be; ask for the log's bounds"));
  };
  World& world = link_.world();
  const DeleteRequest asked{&partition, before, begin(of, timed_out), this};
  const auto arrives = [brokers = brokers_, link = link_, asked] { brokers->handle(link, asked); };
  if (world.random().chance(world.rates().delete_hangs)) {
    world.faults().count(Fault::kDeleteHangs);
    const Nanos late = world.random().between(std::chrono::milliseconds(500), kSlowest);
    // Past the link, so that it takes effect in any case, even if the session ends before.
    return world.timeline().after(late, arrives);
  }
  link_.to_broker(Care::kLossy, nullptr, arrives);
}

void AdminRequests::bounds_known(std::uint64_t request, const Result<Bounds>& bounds) {
  const auto found = requests_.find(request);
  // It has timed out.
  if (found == requests_.end()) return;
  const TopicPartition of = found->second;
  requests_.erase(found);
  inbox_->put(BoundsKnown{of, bounds});
}

void AdminRequests::deleted(std::uint64_t request, const Status& status) {
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  const TopicPartition of = found->second;
  requests_.erase(found);
  inbox_->put(RecordsDeleted{of, status});
}

}  // namespace penstock::simulated
