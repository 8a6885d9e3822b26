#include "topics/topic_scan.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

std::string place(const std::string& topic, PartitionId partition) {
  return "topic " + topic + ", partition " + std::to_string(partition);
}

}  // namespace

TopicScan::TopicScan(LogSession& session, std::string topic, const std::vector<ScanRange>& ranges,
                     Patience patience)
    : session_(session),
      name_(std::move(topic)),
      patience_(patience),
      topic_(session.topic(name_)) {
  for (const ScanRange& range : ranges) parts_.push_back({range});
}

Status TopicScan::run(const OnRecord& on_record, const std::function<bool()>& stopped) {
  on_record_ = &on_record;
  last_progress_ = Clock::now();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].is_open()) begin(static_cast<PartitionId>(i));
  }
  Status status;
  while (status && !is_over()) {
    const bool any = session_.poll(*this);
    status = trouble();
    if (!status || is_over()) break;
    look_into_silence();
    if (stopped && stopped()) status = failure("reading topic " + name_ + " was stopped");
    if (!any) session_.wait(std::min(kLookEvery, patience_.silence));
  }
  close_all();
  return status;
}

bool TopicScan::is_over() const {
  return ended_ || std::none_of(parts_.begin(), parts_.end(),
                                [](const Part& part) { return part.is_open(); });
}

Status TopicScan::trouble() const {
  if (!fatal_.empty()) return failure("cannot read topic " + name_ + ": " + fatal_);
  if (is_over() || Clock::now() - last_progress_ < patience_.answer) return {};
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(patience_.answer);
  return failure("cannot read topic " + name_ + ": no answer within " +
                 std::to_string(waited.count()) + " s" +
                 (trouble_.empty() ? std::string() : ": " + trouble_) +
                 "; check that the brokers run and that the topic's partitions have a leader");
}

void TopicScan::begin(PartitionId partition) {
  Part& part = this->part(partition);
  part.reading = true;
  session_.read(at(partition), part.range.from);
}

void TopicScan::close_all() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (std::exchange(parts_[i].reading, false))
      session_.stop_reading(at(static_cast<PartitionId>(i)));
  }
}

void TopicScan::progress() {
  last_progress_ = Clock::now();
  for (Part& part : parts_) part.asked.reset();
}

void TopicScan::pass_over(PartitionId partition, Offset to, ScanGap::Why why) {
  Part& part = this->part(partition);
  const Offset next = std::min(to, part.range.end);
  if (next <= part.range.from) return;
  if (gaps_.size() < kMaxGaps) gaps_.push_back({partition, part.range.from, next, why});
  part.range.from = next;
  progress();
}

void TopicScan::ask(PartitionId partition) {
  if (!std::exchange(part(partition).asking, true)) session_.bounds(at(partition));
}

// Records that are there come within moments, so silence has a reason: a broker is away, or there
// are none. A leader that gives the bounds is not away.
void TopicScan::look_into_silence() {
  const auto now = Clock::now();
  if (now - last_progress_ < patience_.silence) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto partition = static_cast<PartitionId>(i);
    Part& part = parts_[i];
    if (!part.is_open()) continue;
    if (!part.asked) {
      ask(partition);
    } else if (part.reading && now - *part.asked >= patience_.silence) {
      session_.stop_reading(at(partition));
      part.reading = false;
      pass_over(partition, part.range.end, ScanGap::Why::kAbsent);
      return;  // that was progress, so the others are asked again
    }
  }
}

void TopicScan::on_records(TopicPartition from, std::span<const LogRecord> records) {
  Part& part = this->part(from.partition);
  if (ended_ || !part.is_open()) return;
  for (const LogRecord& record : records) {
    if (record.offset < part.range.from) continue;
    if (record.offset >= part.range.end) {
      part.range.from = part.range.end;
      break;
    }
    part.range.from = record.offset.next();
    if (!(*on_record_)(from.partition, record)) {
      ended_ = true;
      return;
    }
    if (!part.is_open()) break;
  }
  progress();
  if (part.is_open()) return;
  part.reading = false;
  session_.stop_reading(from);
}

void TopicScan::on_out_of_range(TopicPartition from, Offset) {
  Part& part = this->part(from.partition);
  part.reading = false;
  if (part.is_open()) ask(from.partition);
}

void TopicScan::on_truncated(TopicPartition from, Offset position) {
  part(from.partition).reading = false;
  fatal_ = "records before offset " + std::to_string(position.value) + " of partition " +
           std::to_string(from.partition) +
           " were lost (an unclean leader election); begin again, from what is there now";
}

void TopicScan::on_bounds(TopicPartition of, const Result<Bounds>& bounds) {
  Part& part = this->part(of.partition);
  part.asking = false;
  if (!part.is_open()) return;
  if (!bounds) {
    trouble_ = bounds.error().message;
    return;
  }
  if (bounds->end < part.range.from) {
    fatal_ = place(name_, of.partition) + " ends at offset " + std::to_string(bounds->end.value) +
             ", before what was read: it was created again; begin again";
    return;
  }
  pass_over(of.partition, bounds->start, ScanGap::Why::kRemoved);
  part.asked = Clock::now();
  if (part.is_open() && !part.reading) begin(of.partition);
}

void TopicScan::on_connection(bool connected, std::string_view detail) {
  trouble_ = connected ? std::string() : std::string(detail);
}

void TopicScan::on_fatal(std::string_view detail) { fatal_ = detail; }

}  // namespace penstock
