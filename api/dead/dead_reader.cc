#include "api/dead/dead_reader.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "state/log/outbox.h"
#include "topics/topic_scan.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

using Clock = std::chrono::steady_clock;

// The messages of a partition that were seen last.
class Messages {
 public:
  // False: it was seen before.
  bool add(const std::string& message) {
    if (message.empty()) return true;
    const auto [at, added] = known_.insert(message);
    if (!added) return false;
    order_.push_back(at);
    if (order_.size() > kMaxRememberedMessages) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

 private:
  std::set<std::string> known_;
  std::deque<std::set<std::string>::iterator> order_;
};

std::string message_of(const LogRecord& record) {
  for (const HeaderView& header : record.headers) {
    if (header.name == kMessageHeader) return std::string(header.value.value_or(""));
  }
  return {};
}

class Reading {
 public:
  Reading(const DeadFilter& filter, const DeadBounds& bounds, const OnDead& on_dead)
      : filter_(filter), bounds_(bounds), on_dead_(on_dead) {}

  // `first` is the first record of the page; what lies before it in the range is only looked at.
  Status read(LogSession& session, const std::string& topic, PartitionId partition,
              const ScanRange& range, Offset first, const std::function<bool()>& stopped) {
    std::vector<ScanRange> ranges(static_cast<std::size_t>(partition) + 1);
    ranges.back() = range;
    TopicScan scan(session, topic, ranges);
    Messages messages;
    const Status run =
        scan.run([&](PartitionId,
                     const LogRecord& record) { return take(messages, partition, record, first); },
                 stopped);
    for (const ScanGap& gap : scan.gaps()) {
      if (gap.why == ScanGap::Why::kRemoved)
        page_.removed += static_cast<std::uint64_t>(gap.to.value - gap.from.value);
    }
    return run ? failed_ : run;
  }

  [[nodiscard]] bool is_over() const { return page_.after.has_value(); }
  [[nodiscard]] const DeadPage& page() const { return page_; }

 private:
  // False: enough.
  bool take(Messages& messages, PartitionId partition, const LogRecord& record, Offset first) {
    const bool is_new = messages.add(message_of(record));
    if (record.offset < first || !is_new) return true;
    const bool late = bounds_.time && Clock::now() - began_ >= *bounds_.time;
    if (late || scanned_ >= bounds_.scanned) return end_at(partition, record.offset);
    ++scanned_;
    const auto entry = filter_.match(reader_, partition, record);
    if (!entry) return true;
    if (page_.matches >= bounds_.matches) return end_at(partition, record.offset);
    ++page_.matches;
    failed_ = on_dead_(*entry);
    return failed_.has_value();
  }

  bool end_at(PartitionId partition, Offset next) {
    page_.after = DeadPosition{partition, next};
    return false;
  }

  const DeadFilter& filter_;
  const DeadBounds bounds_;
  const OnDead& on_dead_;
  const Clock::time_point began_ = Clock::now();
  DeadEntryReader reader_;
  std::size_t scanned_ = 0;
  Status failed_;
  DeadPage page_;
};

}  // namespace

std::string DeadPosition::text() const {
  return std::to_string(partition) + "-" + std::to_string(next.value);
}

std::optional<DeadPosition> DeadPosition::parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const auto partition = whole_number<PartitionId>(text.substr(0, dash));
  const auto next = whole_number<std::int64_t>(text.substr(dash + 1));
  if (!partition || !next || *partition < 0 || *next < 0) return std::nullopt;
  return DeadPosition{*partition, Offset{*next}};
}

Result<DeadPage> read_dead(Log& log, const std::string& dead_topic, const DeadFilter& filter,
                           const std::optional<DeadPosition>& after, const DeadBounds& bounds,
                           const OnDead& on_dead, const std::function<bool()>& stopped) {
  // A record is stored after its death, by clocks that may differ.
  const Time from = filter.from ? std::max(Time{}, *filter.from - kMaxClockError) : Time{};
  const auto offsets = log.offsets_at(dead_topic, from);
  if (!offsets) return failure(offsets.error().message);
  auto session = log.open({.client_id = "penstock-dead", .instance_id = {}});
  if (!session) return failure(session.error().message);
  Reading reading(filter, bounds, on_dead);
  const std::size_t begin = after ? static_cast<std::size_t>(after->partition) : 0;
  for (std::size_t i = begin; i < offsets->size() && !reading.is_over(); ++i) {
    const OffsetsAt& of = (*offsets)[i];
    const Offset end = of.bounds.end;
    const Offset first = after && i == begin ? std::max(of.at, after->next) : of.at;
    if (first >= end) continue;
    const Offset look{std::max(of.bounds.start.value, first.value - kDeadLookBack)};
    const Status read = reading.read(**session, dead_topic, static_cast<PartitionId>(i),
                                     {look, end}, first, stopped);
    if (!read) return failure(read.error().message);
  }
  return reading.page();
}

}  // namespace penstock
