#include "consumer/operate/replay_starts.h"

#include "topics/names.h"
#include "topics/topic_scan.h"

namespace penstock {

bool is_same_start(const ReplayRecord& a, const ReplayRecord& b) {
  return a.started_at == b.started_at && a.started_by == b.started_by && a.terms == b.terms &&
         a.ranges == b.ranges;
}

void ReplayStarts::look_at(std::optional<std::string_view> value) {
  if (!value) {
    *this = {};
    return;
  }
  auto record = parse_replay_record(*value);
  // One that this version does not understand changes nothing for other readers either.
  if (!record) return;
  if (first_ && !is_same_start(*record, *first_)) {
    overwritten_ = true;
    return;
  }
  overwritten_ = false;
  if (!first_ || !is_outdated(*record, *first_)) first_ = *std::move(record);
}

Result<Offset> control_end(Log& log, const std::string& prefix) {
  const std::string topic = control_topic(prefix);
  const auto offsets = log.offsets_at(topic, Time{});
  if (!offsets) return tl::unexpected(offsets.error());
  if (offsets->empty())
    return failure(topic + " has no partition; was `penstock topics create` run?");
  return offsets->front().bounds.end;
}

Result<ReplayStarts> read_starts(Log& log, const std::string& prefix, const ReplayTarget& target,
                                 Offset from) {
  const auto end = control_end(log, prefix);
  if (!end) return tl::unexpected(end.error());
  auto session = log.open({.client_id = "penstock-replay", .instance_id = {}});
  if (!session) return tl::unexpected(session.error());
  const std::string key = replay_key(target);
  ReplayStarts starts;
  TopicScan scan(**session, control_topic(prefix), {{from, *end}});
  const Status read = scan.run([&](PartitionId, const LogRecord& record) {
    if (record.key == key) starts.look_at(record.value);
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  return starts;
}

}  // namespace penstock
