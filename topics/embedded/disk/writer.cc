#include "topics/embedded/disk/writer.h"

#include <algorithm>
#include <utility>

#include "topics/values/check.h"

namespace penstock::embedded {
namespace {

// A buffer that a burst has made larger than this is freed.
constexpr std::size_t kKeptBufferBytes = 8 << 20;

Time system_time() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

}  // namespace

void Writer::Round::clear() {
  appends.clear();
  records.clear();
  deletes.clear();
  rows.clear();
  if (records.capacity() > kKeptBufferBytes) std::string().swap(records);
}

Writer::Writer(Store& store, Catalog& catalog)
    : store_(store), catalog_(catalog), retention_due_(std::chrono::steady_clock::now()) {
  thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Writer::~Writer() {
  thread_.request_stop();
  thread_.join();
}

bool Writer::append(Mailbox& from, const AppendId& id, Partition& to,
                    std::string_view encoded_record) {
  bool was_empty;
  {
    const std::lock_guard lock(mutex_);
    if (!has_room_for(id.lane, queue_.records.size(), encoded_record.size())) return false;
    was_empty = queue_.empty();
    queue_.records.append(encoded_record);
    queue_.appends.push_back({&from, id, &to, encoded_record.size(), {}});
  }
  // The writer takes the whole queue at once, so only the first entry needs to wake it.
  if (was_empty) queued_.notify_one();
  return true;
}

void Writer::delete_records(Mailbox& from, TopicPartition of, Partition& partition, Offset before) {
  const std::lock_guard lock(mutex_);
  queue_.deletes.push_back({&from, of, &partition, before, {}});
  queued_.notify_one();
}

void Writer::put_row(std::string key, std::string value) {
  const std::lock_guard lock(mutex_);
  queue_.rows.insert_or_assign(std::move(key), std::move(value));
  queued_.notify_one();
}

void Writer::flush() {
  std::unique_lock lock(mutex_);
  // What is queued now is part of the next round, if there is anything.
  const std::uint64_t last = rounds_begun_ + (queue_.empty() ? 0 : 1);
  ended_.wait(lock, [&] { return rounds_ended_ >= last; });
}

std::string Writer::failure_detail() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Writer::run(std::stop_token stop) {
  while (next_round(stop)) {
    commit();
    round_.clear();
    const std::lock_guard lock(mutex_);
    rounds_ended_ = rounds_begun_;
    ended_.notify_all();
  }
}

// False once everything has been written and the log is being closed.
bool Writer::next_round(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  queued_.wait_until(lock, stop, retention_due_, [this] { return !queue_.empty(); });
  if (queue_.empty() && stop.stop_requested()) return false;
  // The round may be empty; then it only applies retention.
  std::swap(queue_, round_);
  ++rounds_begun_;
  return true;
}

void Writer::commit() {
  const Time now = system_time();
  const bool retention_due = std::chrono::steady_clock::now() >= retention_due_;
  if (retention_due) retention_due_ = std::chrono::steady_clock::now() + kRetentionInterval;
  changes_.clear();
  if (!failed_) {
    // Appends come first, so that a delete may refer to the records of the same round.
    stage_appends(now);
    stage_deletes();
    if (retention_due) stage_retention(now);
    for (const auto& [key, value] : round_.rows) changes_.put(key, value);
  }
  Status written = failed_ ? failure(failure_) : Status{};
  // Rows alone are the groups' offsets, which are only for tools: they do not wait for the disk.
  const bool sync = !touched_.empty() || !new_starts_.empty();
  if (written && !changes_.empty()) written = store_.write(changes_, sync);
  if (written) {
    publish();
  } else {
    fail(written.error());
  }
  answer(written);
}

void Writer::stage_appends(Time now) {
  std::string_view records = round_.records;
  for (QueuedAppend& append : round_.appends) {
    Tail& tail = append.to->tail();
    if (!std::exchange(tail.touched, true)) touched_.push_back(append.to);
    // A large round makes several chunks, because a reader loads a chunk as a whole.
    if (tail.builder.full()) close_chunk(*append.to, now);
    tail.builder.add(records.substr(0, append.bytes));
    records.remove_prefix(append.bytes);
    append.offset = tail.next;
    tail.next = tail.next.next();
  }
  for (Partition* partition : touched_) {
    close_chunk(*partition, now);
    partition->tail().touched = false;
  }
}

void Writer::close_chunk(Partition& partition, Time now) {
  Tail& tail = partition.tail();
  tail.last_at = std::max(tail.last_at, now);  // the system clock can be set back
  ChunkRef chunk = tail.builder.finish(tail.chunk_base, tail.last_at);
  tail.chunk_base = tail.next;
  const Segment& segment =
      tail.segments.add({.base = chunk->base,
                         .count = chunk->count,
                         .bytes = static_cast<std::int64_t>(chunk->bytes.size()),
                         .first_at = tail.last_at,
                         .last_at = tail.last_at},
                        partition.segment_bytes());
  changes_.put(chunk_key(partition.key(), chunk->base), chunk->bytes);
  changes_.put(segment_key(partition.key(), segment.base), segment_row(segment));
  tail.uncommitted.push_back(std::move(chunk));
}

void Writer::stage_deletes() {
  for (QueuedDelete& wanted : round_.deletes) {
    const Tail& tail = wanted.partition->tail();
    if (wanted.before > tail.next || wanted.before.value < 0) {
      wanted.status =
          failure("cannot delete the records below " + std::to_string(wanted.before.value) +
                  ": the log ends at " + std::to_string(tail.next.value));
    } else if (wanted.before > tail.start) {
      stage_start(*wanted.partition, wanted.before);
    }
  }
}

void Writer::stage_retention(Time now) {
  for (Topic* topic : catalog_.all()) {
    const Retention retention = topic->rules().retention;
    for (PartitionId id = 0; id < topic->partition_count(); ++id) {
      Partition& partition = *topic->partition(id);
      const Tail& tail = partition.tail();
      const Offset from = tail.segments.retained_from(tail.start, now, retention);
      if (from > tail.start) stage_start(partition, from);
    }
  }
}

void Writer::stage_start(Partition& partition, Offset start) {
  Tail& tail = partition.tail();
  tail.start = start;
  changes_.put(start_key(partition.key()), number_row(static_cast<std::uint64_t>(start.value)));
  for (const Segment& segment : tail.segments.drop_below(start)) {
    changes_.remove(segment_key(partition.key(), segment.base));
    changes_.remove_range(chunk_key(partition.key(), segment.base),
                          chunk_key(partition.key(), segment.end()));
  }
  new_starts_.emplace_back(&partition, start);
}

void Writer::publish() {
  for (Partition* partition : touched_) {
    std::vector<ChunkRef>& chunks = partition->tail().uncommitted;
    for (ChunkRef& chunk : chunks) cache(*partition, std::move(chunk));
    chunks.clear();
  }
  for (const auto& [partition, start] : new_starts_) partition->publish_start(start);
  // Last, so that a reader that wakes up finds the new bounds.
  for (Partition* partition : touched_) partition->tell_readers();
  for (const auto& [partition, start] : new_starts_) partition->tell_readers();
  touched_.clear();
  new_starts_.clear();
}

void Writer::cache(Partition& partition, ChunkRef chunk) {
  cached_.emplace_back(&partition, chunk->bytes.size());
  cached_bytes_ += chunk->bytes.size();
  partition.publish(std::move(chunk));
  while (cached_bytes_ > kTailCacheBytes) {
    const auto [oldest_of, bytes] = cached_.front();
    oldest_of->drop_oldest_cached();
    cached_bytes_ -= bytes;
    cached_.pop_front();
  }
}

void Writer::answer(const Status& written) {
  for (const QueuedAppend& append : round_.appends) {
    AppendAnswer answer{append.id, append.bytes, {}};
    if (written) {
      answer.result.offset = append.offset;
    } else {
      answer.result.error = written.error().message;
    }
    // Collected per mailbox, so that a round locks each mailbox once and not for every append.
    answers_[append.from].push_back(std::move(answer));
  }
  for (auto& [mailbox, answers] : answers_) mailbox->post(answers);
  answers_.clear();
  for (QueuedDelete& asked : round_.deletes) {
    if (asked.status && !written) asked.status = written;
    asked.from->post(DeleteAnswer{asked.of, std::move(asked.status)});
  }
}

void Writer::fail(const Error& error) {
  // The first error is the cause; later ones only follow from it.
  if (failed_) return;
  const std::lock_guard lock(mutex_);
  failure_ = error.message;
  failed_ = true;
}

}  // namespace penstock::embedded
