#include "consumer/operate/replay_ranges.h"

#include <algorithm>

#include "topics/topic_scan.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

// A dead record is written after its penstock-at, but for what clocks differ by.
constexpr Duration kClocksDifferBy{5 * 60'000};

// Of the oldest record of each partition; zero where there is none.
Result<std::vector<Time>> oldest_records(Log& log, const std::string& topic,
                                         const std::vector<OffsetsAt>& now) {
  std::vector<ScanRange> first;
  for (const OffsetsAt& at : now)
    first.push_back({at.bounds.start, std::min(at.bounds.end, at.bounds.start.next())});
  auto session = log.open({.client_id = "penstock-replay", .instance_id = {}});
  if (!session) return tl::unexpected(session.error());
  std::vector<Time> oldest(now.size());
  TopicScan scan(**session, topic, first);
  const Status read = scan.run([&](PartitionId partition, const LogRecord& record) {
    oldest[static_cast<std::size_t>(partition)] = record.timestamp;
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return oldest;
}

bool has_append_times(Log& log, const std::string& topic) {
  const auto described = log.describe(topic);
  return described && std::any_of(described->config.begin(), described->config.end(),
                                  [](const TopicProperty& property) {
                                    return property.name == "message.timestamp.type" &&
                                           property.value == "LogAppendTime";
                                  });
}

RangesAnswer by_offsets(const std::vector<OffsetsAt>& now, const ReplayTerms& terms) {
  ReplayRanges found;
  found.ranges.resize(now.size());
  for (const auto& [partition, asked] : terms.offsets) {
    const auto at = static_cast<std::size_t>(partition);
    if (at >= now.size()) {
      return tl::unexpected(RangesError{"found offsets of partition " + std::to_string(partition) +
                                            ", expected one of 0 to " +
                                            std::to_string(now.size() - 1),
                                        true});
    }
    const Bounds& bounds = now[at].bounds;
    const Offset to = asked.to ? std::min(*asked.to, bounds.end) : bounds.end;
    const Offset removed_to = asked.to ? std::min(*asked.to, bounds.start) : bounds.start;
    if (asked.from < removed_to) found.removed += removed_to.value - asked.from.value;
    const Offset from = std::max(asked.from, bounds.start);
    // One that lies outside of what is there is empty.
    found.ranges[at] = {std::min(from, bounds.end), std::max(to, std::min(from, bounds.end))};
  }
  return found;
}

}  // namespace

RangesAnswer resolve_ranges(Log& log, const std::string& topic, const ReplayTerms& terms) {
  Time from = terms.from.value_or(Time{});
  if (terms.dead && from != Time{}) from -= kClocksDifferBy;
  const auto begin = log.offsets_at(topic, from);
  if (!begin) return tl::unexpected(RangesError{begin.error().message});
  if (!terms.offsets.empty()) return by_offsets(*begin, terms);
  ReplayRanges found;
  for (const OffsetsAt& at : *begin) found.ranges.push_back({at.at, at.bounds.end});
  // Otherwise records need not be in the order of their times, so all are looked at.
  if (terms.to && !terms.dead && has_append_times(log, topic)) {
    const auto end = log.offsets_at(topic, *terms.to);
    if (!end) return tl::unexpected(RangesError{end.error().message});
    for (std::size_t i = 0; i < found.ranges.size() && i < end->size(); ++i)
      found.ranges[i].to = std::max(found.ranges[i].from, (*end)[i].at);
  }
  const bool any_removed = std::any_of(begin->begin(), begin->end(), [](const OffsetsAt& at) {
    return at.bounds.start.value > 0 && at.at == at.bounds.start;
  });
  if (!any_removed) return found;
  const auto oldest = oldest_records(log, topic, *begin);
  if (!oldest) return tl::unexpected(RangesError{oldest.error().message});
  for (std::size_t i = 0; i < begin->size(); ++i) {
    const Bounds& bounds = (*begin)[i].bounds;
    const bool none_left = bounds.start == bounds.end;
    if (bounds.start.value == 0 || (!none_left && (*oldest)[i] <= from)) continue;
    found.removed += bounds.start.value;
    if (!none_left && (found.oldest == Time{} || (*oldest)[i] < found.oldest))
      found.oldest = (*oldest)[i];
  }
  return found;
}

}  // namespace penstock
