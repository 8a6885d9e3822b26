// What a partition sends to other partitions (follow-up jobs, forwarded records, dead letters,
// events), exactly once where a task receives it (DESIGN section 3, "Outbox").
//
// A message is first a row in a commit. It is emitted once that commit counts, with a sequence
// number that has no gaps per destination; its row goes when it is acknowledged, in order. On any
// doubt everything from the oldest row on is emitted again (go-back-n). The receiver takes only the
// number behind the last one that it took: "the highest seen" would lose messages, for a producer
// may log 70, 72, 71 after a time-out.
//
//   row         := value of key 'o': message
//   message     := key:optional, value:optional, headers
//   optional    := present:u8 text
//   destination := topic:text partition:u32             (in the keys 'o' and 'q')
//   source      := "<topic>/<partition>@<generation>"   (in the key 'w', and in the header)
//
// On the wire a message carries the header kMessageHeader: "<source>><topic>/<partition>#<seq>".
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "state/view.h"
#include "topics/log.h"

namespace penstock {

inline constexpr std::string_view kMessageHeader = "penstock-message";

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

// The other end of a message, as the header tells it.
struct MessageOrigin {
  std::string_view source;
  std::uint64_t seq = 0;
};
[[nodiscard]] std::optional<MessageOrigin> parse_message_header(std::string_view header);

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
  // Beyond this many messages that are not acknowledged the partition takes no more input.
  static constexpr std::size_t kMaxPending = 10'000;

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

  [[nodiscard]] std::size_t pending() const { return pending_; }
  [[nodiscard]] bool full() const { return pending_ >= kMaxPending; }

  // The receiving end: whether this message is the next of its source. Notes it in the view if so.
  [[nodiscard]] static bool take(View& view, const MessageOrigin& origin);

 private:
  struct Entry {
    std::uint64_t seq = 0;         // per destination
    std::uint64_t commit_seq = 0;  // the commit that holds its row
    std::uint64_t number = 0;      // of its emission; 0: not emitted
    bool acknowledged = false;
    OutboxMessage message;
  };
  struct Line {
    std::uint64_t last_seq = 0;
    std::deque<Entry> entries;
  };

  void restore_row(std::string_view key, std::string_view value);
  void emit(const Destination& to, Line& line);
  [[nodiscard]] bool emit_entry(const Destination& to, Entry& entry);
  void remove_acknowledged(const Destination& to, Line& line);
  [[nodiscard]] std::uint64_t last_seq(const Destination& to);

  View& view_;
  OutboxHost& host_;
  std::string source_;
  std::map<Destination, Line> lines_;
  std::map<std::uint64_t, Destination> emitted_;  // by number
  std::uint64_t next_number_ = 1;
  std::uint64_t counted_ = 0;
  std::size_t pending_ = 0;
};

}  // namespace penstock
