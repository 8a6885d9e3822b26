// What a partition sends to other partitions (follow-up jobs, forwarded records, dead letters,
// events), exactly once where a task receives it (DESIGN section 3, "Outbox").
//
// A message is first a row in a commit. It is emitted once that commit counts, with a sequence
// number that has no gaps per destination; its row goes when it is acknowledged, in order. On any
// doubt everything from the oldest row on is emitted again (go-back-n): an error, an
// acknowledgement without an offset, or one whose offset does not lie behind the one before. The
// receiver takes only the number behind the last one that it took: "the highest seen" would lose
// messages, for a producer may log 70, 72, 71 after a time-out.
//
// What the log has refused is surely not in it: that is an answer and no doubt. It is sent again
// after a growing pause, a dead record that is too large cut further (topics/record/dead_record.h). Where
// no task receives (dead, events), what is acknowledged is done with, whatever becomes of the
// messages before it.
//
//   row         := value of key 'o': message
//   message     := key:optional, value:optional, headers
//   optional    := present:u8 text
//   destination := topic:text partition:u32             (in the keys 'o' and 'q')
//   source      := "<topic>/<partition>@<generation>"   (in the key 'w', and in the header)
//
// On the wire a message carries two headers: kMessageHeader, which names it and is the same however
// often it is emitted: "<source>><topic>/<partition>#<seq>"; and kOldestHeader, the number of the
// oldest message to this destination that was not acknowledged then: all before it lie before this
// one in the destination's log. state/log/arrivals.h is the receiving end.
//
// A source's name has the generation of its state log: a state that is made anew begins at 1 under
// another name.
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
  // `number` comes back in Outbox::appended. False: the buffer is full, try again later.
  [[nodiscard]] virtual bool append_outbox(std::uint64_t number, const Destination& to,
                                           const NewRecord& record) = 0;
  // A new outbox producer: nothing that was appended before is acknowledged any more. It calls
  // Outbox::emit_again of every outbox that shares the producer.
  virtual void renew_outbox() = 0;
};

class Outbox {
 public:
  // Beyond so many messages that are not acknowledged, or so many bytes of them in memory, the
  // partition takes no more input and starts no attempt: either could add to them. What already
  // runs may still end and send. Acknowledgements alone make room, and they wait for nothing that
  // the partition does.
  static constexpr std::size_t kMaxPending = 10'000;
  static constexpr std::size_t kMaxPendingBytes = 16 << 20;

  Outbox(View& view, OutboxHost& host) : view_(view), host_(host) {}

  // At most so many messages, and a little more than so many bytes, per piece of a restore.
  static constexpr std::size_t kMaxRestoredBytesPerStep = 1 << 20;

  // What earlier tenures left is loaded in pieces, before anything is sent: first begin_restore(),
  // with the `source` as in the grammar above, then restore_some() with a key that it keeps (empty
  // at first) until it returns false. pump() emits what has been loaded.
  void begin_restore(std::string source) { source_ = std::move(source); }
  [[nodiscard]] bool restore_some(std::string& from, std::size_t max_messages);
  // All of it at once.
  void restore(std::string source);
  void send(const Destination& to, const OutboxMessage& message, std::uint64_t commit_seq);

  // Commits up to this one count: their messages leave.
  void counted(std::uint64_t commit_seq);
  void appended(std::uint64_t number, const Appended& result);
  void emit_again();
  // Goes on with what did not fit into the buffer.
  void pump();
  // Time has passed: also with what was refused.
  void tick(Instant now);

  // Destinations with something that has not been delivered for DeliveryWatch::kLateAfter.
  struct Late {
    std::size_t messages = 0;
    std::chrono::nanoseconds age{};  // of the oldest
    std::string_view error;          // of the last try; empty: it has no answer yet
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
    std::optional<Offset> offset;  // where it lies, once that is acknowledged
    OutboxMessage message;
    std::size_t bytes = 0;  // of the message as it was sent, before it was cut
  };
  struct Line {
    std::uint64_t last_seq = 0;
    Offset removed_at{-1};  // of the last that was removed, since all were emitted again
    std::deque<Entry> entries;
    DeliveryWatch delivery = {};
  };

  void restore_row(std::string_view key, std::string_view value);
  void emit(const Destination& to, Line& line);
  [[nodiscard]] bool emit_entry(const Destination& to, Entry& entry, std::uint64_t oldest);
  void acknowledged(const Destination& to, std::uint64_t number, Offset offset);
  void refused(const Destination& to, std::uint64_t number, const Appended& result);
  void remove(const Destination& to, Line& line, std::deque<Entry>::iterator entry);
  // False: the offsets do not grow, so the log may not have the order of the numbers.
  [[nodiscard]] bool remove_acknowledged(const Destination& to, Line& line);
  void add(Line& line, Entry entry);
  void watch(Line& line) const;
  [[nodiscard]] std::uint64_t last_seq(const Destination& to);

  View& view_;
  OutboxHost& host_;
  std::string source_;
  std::map<Destination, Line> lines_;
  std::map<std::uint64_t, Destination> emitted_;  // by number
  std::uint64_t next_number_ = 1;
  std::uint64_t counted_ = 0;
  Instant now_{};
  std::size_t pending_ = 0, pending_bytes_ = 0;
};

}  // namespace penstock
