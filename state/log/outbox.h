// Sends a partition's messages to other partitions (follow-up jobs, forwarded records, dead
// letters, events), exactly once where a task receives them. Used on the thread of the partition's
// loop.
//
// A message is first in a row of a commit. It is emitted once that commit counts, with a sequence
// number that has no gaps per destination; once it is acknowledged, its row is removed, in order.
// Where no task receives the messages, those of one commit share a row, which is removed when all of
// them have been acknowledged: there may be one for each job, and some may arrive twice in any case.
// On any doubt (an error, an acknowledgement without an offset, or one whose offset is not greater
// than the previous one) everything from the oldest row onwards is emitted again (go-back-n). The
// receiver accepts only the number that follows the last one it accepted. Accepting "the highest
// seen" would lose messages, because a producer may log 70, 72, 71 after a timeout.
//
// A message that the log has refused is certainly not in it, so this leaves no doubt. It is sent
// again after a growing pause; a dead record that is too large is cut first
// (topics/record/dead_record.h). Where no task receives the messages (dead, events), an
// acknowledged message is finished, regardless of those before it.
//
//   row         := value of key 'o': message+   (numbered on from the one in the key)
//   message     := key:optional, value:optional, headers
//   optional    := present:u8 text
//   destination := topic:text partition:u32             (in the keys 'o' and 'q')
//   source      := "<topic>/<partition>@<generation>"   (in the key 'w', and in the header)
//
// In the destination's log, kMessageHeader names a message and is the same however often it is
// emitted: "<source>><topic>/<partition>#<seq>". A message to a task also carries kOldestHeader, the
// number of the oldest message to this destination that was unacknowledged at the time: all messages
// before that one precede this record in the destination's log. state/log/arrivals.h is the receiving
// end.
//
// A source's name contains the generation of its state log, so a state that is created anew begins
// at 1 under another name.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "state/log/delivery_watch.h"
#include "state/store/view.h"
#include "topics/log.h"

namespace penstock {

inline constexpr std::string_view kMessageHeader = "penstock-message";
inline constexpr std::string_view kOldestHeader = "penstock-oldest";

struct Destination {
  std::string topic;
  PartitionId partition = 0;
  friend auto operator<=>(const Destination&, const Destination&) = default;
};

struct OutboxMessage {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<Header> headers;
};

class OutboxHost {
 public:
  virtual ~OutboxHost() = default;
  // `number` is passed back to Outbox::appended(). False: the buffer is full; try again later.
  [[nodiscard]] virtual bool append_outbox(std::uint64_t number, const Destination& to,
                                           const NewRecord& record) = 0;
  // Creates a new outbox producer: earlier appends will not be acknowledged any more. Calls
  // Outbox::emit_again() of every outbox that shares the producer.
  virtual void renew_outbox() = 0;
};

class Outbox {
 public:
  // Bounds on the unacknowledged messages and on their bytes in memory. At either bound, the
  // partition takes no more input and starts no attempt, because both can add messages; running
  // attempts may still end and send. Only acknowledgements make room, and they depend on nothing
  // that the partition does.
  static constexpr std::size_t kMaxPending = 10'000;
  static constexpr std::size_t kMaxPendingBytes = 16 << 20;

  Outbox(View& view, OutboxHost& host) : view_(view), host_(host) {}

  // A row is closed when it has this many bytes; so a row has less, or one message.
  static constexpr std::size_t kMaxSharedRowBytes = 16 << 10;

  // Bounds for one step of a restore, which are exceeded by at most one row.
  static constexpr std::size_t kMaxRestoredBytesPerStep = 1 << 20;

  // Loads what earlier tenures left, in steps, before anything is sent: call begin_restore() with
  // the `source` of the grammar above, then restore_some() until it returns false. `from` is its
  // position, which the caller keeps; it begins empty. pump() emits what has been loaded.
  void begin_restore(std::string source) { source_ = std::move(source); }
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_messages);
  // Loads everything at once.
  void restore(std::string source);
  void send(const Destination& to, OutboxMessage message, std::uint64_t commit_seq);
  // To be called before the commit is built: writes what send() has gathered for it.
  void save();

  // Commits up to this one count: their messages may leave.
  void counted(std::uint64_t commit_seq);
  void appended(std::uint64_t number, const Appended& result);
  void emit_again();
  // Emits what did not fit into the buffer before.
  void pump();
  // Time has passed: also emits refused messages whose pause is over.
  void tick(Instant now);

  // The destinations with a message that has been undelivered for DeliveryWatch::kLateAfter.
  struct Late {
    std::size_t messages = 0;
    std::chrono::nanoseconds age{};  // of the oldest
    std::string_view error;          // of the last try; empty: no answer yet
  };
  using LateFunction = std::function<void(const Destination& to, const Late& late)>;
  void each_late(const LateFunction& function) const;

  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] std::size_t pending_bytes() const { return pending_bytes_; }
  [[nodiscard]] bool full() const {
    return pending_ >= kMaxPending || pending_bytes_ >= kMaxPendingBytes;
  }

 private:
  struct Entry {
    std::uint64_t seq = 0;         // per destination
    std::uint64_t commit_seq = 0;  // the commit that holds its row
    std::uint64_t number = 0;      // of its emission; 0: not emitted
    std::optional<Offset> offset;  // its offset in the destination's log, once acknowledged
    OutboxMessage message;
    std::size_t bytes = 0;  // of the message as sent by the task, before it was cut
  };
  // A row with messages that have not been acknowledged.
  struct Row {
    std::uint64_t first = 0;  // the number of its first message
    std::size_t left = 0;
  };
  struct Line {
    bool has_task = true;  // the messages are received by a task, which accepts them in order
    std::string prefix;    // of the messages' names, before the number
    std::uint64_t last_seq = 0;
    std::uint64_t saved_seq = 0;  // the number that is in the row of last_seq
    std::string gathered;         // the messages of the last of `rows`, while it is open
    Offset removed_at{-1};        // of the last one removed since all were emitted again
    std::deque<Entry> entries;
    std::deque<Row> rows;
    // So many of the first entries have been emitted, and need not be looked at to find those that
    // have not. There may be ten thousand.
    std::size_t emitted = 0;
    DeliveryWatch delivery = {};
  };
  using LineOf = std::map<Destination, Line>::value_type;

  [[nodiscard]] LineOf& line_of(const Destination& to);
  // Returns how many messages the row had.
  std::size_t restore_row(std::string_view key, std::string_view value);
  void close_row(const Destination& to, Line& line);
  void emit(LineOf& line_of);
  [[nodiscard]] bool emit_entry(LineOf& line, Entry& entry);
  void acknowledged(LineOf& line, std::uint64_t number, Offset offset);
  void refused(Line& line, std::uint64_t number, const Appended& result);
  void remove(const Destination& to, Line& line, std::deque<Entry>::iterator entry);
  // The entry must be emitted again.
  static void emit_later(Line& line, std::deque<Entry>::iterator entry);
  // False: the offsets do not increase, so the log may not have the messages in order.
  [[nodiscard]] bool remove_acknowledged(const Destination& to, Line& line);
  void add(Line& line, Entry entry, bool in_row_of_last);
  void watch(Line& line) const;
  [[nodiscard]] std::uint64_t last_seq(const Destination& to);

  View& view_;
  OutboxHost& host_;
  std::string source_;
  std::map<Destination, Line> lines_;
  // The lines of the emissions that have not been answered, by their numbers, which are consecutive
  // and end before next_number_. Those that have been answered are null.
  std::deque<LineOf*> emitted_;
  std::uint64_t next_number_ = 1;
  std::vector<HeaderView> headers_;  // of the record that is being emitted
  std::string name_;                 // of its message
  std::uint64_t counted_ = 0;
  Instant now_{};
  std::size_t pending_ = 0, pending_bytes_ = 0;
};

}  // namespace penstock
