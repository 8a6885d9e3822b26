#include "topics/simulated/session/fetcher.h"

#include <algorithm>

#include "topics/values/check.h"

namespace penstock::simulated {

void Fetcher::read(TopicPartition from, Partition& partition, Offset position) {
  const bool twice = std::any_of(reads_.begin(), reads_.end(),
                                 [&](const Read& read) { return read.from == from; });
  PENSTOCK_CHECK(!twice, "a partition is read already: stop_reading comes first");
  const bool in_range = position >= partition.start() && position <= partition.end();
  // A number of its own, by which late answers to an earlier read of the partition are recognized.
  reads_.push_back({++reads_made_, from, &partition, position, in_range});
  fetch(reads_.back());
}

void Fetcher::stop(TopicPartition from) {
  std::erase_if(reads_, [&](const Read& read) { return read.from == from; });
}

const Partition* Fetcher::reading(std::uint64_t read) const {
  const auto found =
      std::find_if(reads_.begin(), reads_.end(), [&](const Read& r) { return r.id == read; });
  return found == reads_.end() ? nullptr : found->partition;
}

Fetcher::Read* Fetcher::find(std::uint64_t id) {
  const auto found =
      std::find_if(reads_.begin(), reads_.end(), [&](const Read& r) { return r.id == id; });
  return found == reads_.end() ? nullptr : &*found;
}

void Fetcher::fetch(Read& read) {
  read.stalled = lying_ >= kMaxFetched;
  if (read.stalled) return;
  const FetchRequest request{read.partition, read.id, read.next, this};
  link_.to_broker(Care::kReliable, nullptr,
                  [brokers = brokers_, link = link_, request] { brokers->handle(link, request); });
}

void Fetcher::fetched(std::uint64_t id, Offset first, std::uint64_t count) {
  Read* const read = find(id);
  if (read == nullptr) return;
  lying_ += count;
  read->next = Offset{first.value + static_cast<std::int64_t>(count)};
  inbox_->put(RecordsFetched{read->from, id, first, count});
  fetch(*read);
}

void Fetcher::out_of_range(std::uint64_t id, Offset position) {
  const Read* const read = find(id);
  if (read == nullptr) return;
  if (read->began_in_range) link_.world().faults().count(Fault::kReadOvertakenByTrim);
  inbox_->put(ReadOutOfRange{read->from, id, position});
}

void Fetcher::handed_on(std::size_t count) {
  lying_ -= count;
  if (lying_ >= kMaxFetched) return;
  for (Read& read : reads_)
    if (read.stalled) fetch(read);
}

}  // namespace penstock::simulated
