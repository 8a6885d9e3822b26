#include "topics/simulated/brokers/partition.h"

#include <algorithm>
#include <utility>

#include "topics/values/check.h"

namespace penstock::simulated {

Payload::Payload(const NewRecord& record, Time created) : created_(created) {
  std::size_t size =
      (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  for (const auto& header : record.headers) size += size_of(header);
  bytes_.reserve(size);
  // The bytes are reserved and do not move, so views of them stay valid.
  const auto keep = [&](std::string_view text) {
    const std::size_t at = bytes_.size();
    bytes_.append(text);
    return std::string_view(bytes_.data() + at, text.size());
  };
  if (record.key) key_ = keep(*record.key);
  if (record.value) value_ = keep(*record.value);
  headers_.reserve(record.headers.size());
  for (const auto& header : record.headers) {
    headers_.push_back({keep(header.name), std::nullopt});
    if (header.value) headers_.back().value = keep(*header.value);
  }
}

std::uint64_t Payload::digest() const {
  std::uint64_t digest = bytes_.size();
  for (const char byte : bytes_)
    digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return digest;
}

LogRecord Payload::view(Offset offset, Time timestamp) const {
  return LogRecord{offset, timestamp, key_, value_, headers_};
}

Partition::Partition(std::string topic, PartitionId id, bool log_append_time, std::size_t max_bytes)
    : topic_(std::move(topic)), id_(id), log_append_time_(log_append_time), max_bytes_(max_bytes) {}

void Partition::configure(bool log_append_time, std::size_t max_bytes) {
  log_append_time_ = log_append_time;
  max_bytes_ = max_bytes;
}

LogRecord Partition::at(Offset offset) const {
  PENSTOCK_CHECK(offset.value >= 0 && offset < end(), "no such record was ever appended");
  const Entry& entry = entries_[static_cast<std::size_t>(offset.value)];
  return entry.payload->view(offset, entry.timestamp);
}

Offset Partition::append(const Payload& payload, Time timestamp) {
  entries_.push_back({&payload, timestamp});
  return Offset{end().value - 1};
}

void Partition::trim(Offset before) { start_ = std::max(start_, std::min(before, end())); }

Partition::Memory Partition::recall(std::uint64_t producer, std::int64_t sequence) const {
  const auto found = producers_.find(producer);
  if (found == producers_.end()) return {Verdict::kUnknown, std::nullopt};
  const Producer& known = found->second;
  if (sequence == known.next) return {Verdict::kNext, std::nullopt};
  if (sequence > known.next) return {Verdict::kAhead, std::nullopt};
  for (const Taken& taken : known.last)
    if (taken.sequence == sequence) return {Verdict::kKnown, taken.first};
  // Too long ago to be remembered, but its sequence number shows that it was here.
  return {Verdict::kKnown, std::nullopt};
}

void Partition::begin_at(std::uint64_t producer, std::int64_t sequence) {
  producers_[producer] = {sequence, {}};
}

void Partition::remember(std::uint64_t producer, std::int64_t sequence, std::int64_t count,
                         Offset first) {
  Producer& known = producers_.at(producer);
  known.next = sequence + count;
  if (known.last.size() == kRememberedRequests) known.last.pop_front();
  known.last.push_back({sequence, first});
}

std::vector<std::function<void()>> Partition::take_waiting() { return std::exchange(waiting_, {}); }

void Partition::lead(Duration skew, Instant away_until) {
  skew_ = skew;
  away_until_ = away_until;
}

}  // namespace penstock::simulated
