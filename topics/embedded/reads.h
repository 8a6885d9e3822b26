// The reads of a session, and which of them is next: a poll visits each partition at most once,
// shows at most kMaxRecordsPerVisit of its records, and begins after the partition where the last
// poll ended, so that no partition waits for the others for long.
//
// Belongs to the session's thread. The mailbox hears of new records in the partitions that are
// read.
#pragma once

#include <cstddef>
#include <map>

#include "topics/embedded/disk/mailbox.h"
#include "topics/embedded/disk/reader.h"
#include "topics/log.h"

namespace penstock::embedded {

inline constexpr std::size_t kMaxRecordsPerVisit = 1024;
inline constexpr std::size_t kMaxBytesPerPoll = 4 << 20;

class Reads {
 public:
  // Both must outlive this.
  Reads(const Store& store, Mailbox& mailbox) : store_(store), mailbox_(mailbox) {}

  // `second`: through a second handle.
  void begin(TopicPartition from, Partition& partition, Offset position, bool second);
  void stop(TopicPartition from);
  void stop_all();

  [[nodiscard]] bool has_news() const;
  // Shows what there is, within a poll's budget. The listener may begin and stop reads. False:
  // there was nothing to show.
  bool tell(LogListener& listener);

 private:
  // What a poll may still show.
  struct Budget {
    std::size_t records = kMaxRecordsPerPoll;
    std::size_t bytes = kMaxBytesPerPoll;

    [[nodiscard]] bool spent() const { return records == 0 || bytes == 0; }
  };

  bool visit(TopicPartition from, LogListener& listener, Budget& budget);
  bool show_records(TopicPartition from, LogListener& listener, Budget& budget, std::size_t most);
  struct Reading {
    Reader reader;
    bool second;
  };
  std::map<TopicPartition, Reading>::iterator after(TopicPartition last);

  const Store& store_;
  Mailbox& mailbox_;
  std::map<TopicPartition, Reading> readers_;
  TopicPartition last_visited_;
  RecordViews views_;
};

}  // namespace penstock::embedded
