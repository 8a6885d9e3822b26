// The writer: one thread that puts everything queued since its last commit into one synced write
// (group commit) and then reports the results. The longer a sync takes, the more the next one
// carries.
//
// What always holds: an append is acknowledged, and its record readable, only once it is on the
// disk. Appends reach a partition in the order of the calls. After a failed write nothing more is
// written, because only opening the log again can tell what the disk has.
//
// The public functions may be called from any thread; none of them waits for the disk except
// flush().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "topics/embedded/disk/catalog.h"
#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/disk/store.h"

namespace penstock::embedded {

// The most that may wait for one commit; append() refuses more. Half of it is reserved for the
// state lane, so that owners' commits find room, and their leases are renewed, regardless of
// how much producers send.
inline constexpr std::size_t kMaxQueuedBytes = 32 << 20;
inline constexpr std::size_t kMaxQueuedBytesOfOutboxes = kMaxQueuedBytes / 2;

// Whether `bytes` more fit into the queue. An empty queue accepts one record of any size.
[[nodiscard]] constexpr bool has_room_for(Lane lane, std::size_t queued, std::size_t bytes) {
  return queued == 0 ||
         queued + bytes <= (lane == Lane::kState ? kMaxQueuedBytes : kMaxQueuedBytesOfOutboxes);
}
// The newest chunks of all partitions together that are kept in memory for readers.
inline constexpr std::size_t kTailCacheBytes = 32 << 20;
// How often retention is enforced.
inline constexpr std::chrono::seconds kRetentionInterval{1};

class Writer {
 public:
  Writer(Store& store, Catalog& catalog);
  ~Writer();  // commits what is queued

  // False: the queue is full and nothing was accepted.
  [[nodiscard]] bool append(Mailbox& from, const AppendId& id, Partition& to,
                            std::string_view encoded_record);
  void delete_records(Mailbox& from, TopicPartition of, Partition& partition, Offset before);
  // Writes a row with the next commit; the last value of a key wins.
  void put_row(std::string key, std::string value);
  // Returns once everything that was queued before has been written or has failed, and the results
  // have been posted.
  void flush();

  // Whether an error has ended the writing, and which.
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::string failure_detail() const;

 private:
  struct QueuedAppend {
    Mailbox* from;
    AppendId id;
    Partition* to;
    std::size_t bytes;
    Offset offset;  // set by the commit
  };
  struct QueuedDelete {
    Mailbox* from;
    TopicPartition of;
    Partition* partition;
    Offset before;
    Status status;  // set by the commit
  };
  // What one commit carries.
  struct Round {
    std::vector<QueuedAppend> appends;
    std::string records;  // of the appends, concatenated
    std::vector<QueuedDelete> deletes;
    std::map<std::string, std::string> rows;

    [[nodiscard]] bool empty() const { return appends.empty() && deletes.empty() && rows.empty(); }
    void clear();
  };

  void run(std::stop_token stop);
  bool next_round(std::stop_token stop);
  void commit();
  void stage_appends(Time now);
  void close_chunk(Partition& partition, Time now);
  void stage_deletes();
  void stage_retention(Time now);
  void stage_start(Partition& partition, Offset start);
  void publish();
  void cache(Partition& partition, ChunkRef chunk);
  void answer(const Status& written);
  void fail(const Error& error);

  Store& store_;
  Catalog& catalog_;

  mutable std::mutex mutex_;
  std::condition_variable_any queued_;
  std::condition_variable ended_;
  Round queue_;
  std::uint64_t rounds_begun_ = 0;
  std::uint64_t rounds_ended_ = 0;
  std::string failure_;
  std::atomic<bool> failed_ = false;

  // Only the writer's thread.
  Round round_;
  Changes changes_;
  std::vector<Partition*> touched_;
  std::vector<std::pair<Partition*, Offset>> new_starts_;
  std::deque<std::pair<Partition*, std::size_t>> cached_;  // oldest first, with the chunk's size
  std::size_t cached_bytes_ = 0;
  std::map<Mailbox*, std::vector<AppendAnswer>> answers_;
  std::chrono::steady_clock::time_point retention_due_;

  std::jthread thread_;
};

}  // namespace penstock::embedded
