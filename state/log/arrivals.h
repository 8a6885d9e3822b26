// The receiving end of other partitions' outboxes (state/log/outbox.h): decides which records of
// the input are messages to this partition, and which of those to accept. Belongs to a partition's
// task, on its loop's thread.
//
// What always holds:
// - A record is a message only if it names exactly this partition as its destination. Any other
//   record with such a header (such as a dead record that was sent back with its headers) is an
//   ordinary record.
// - Every message is accepted at most once, in the commit that takes its record from the input.
// - Messages that were removed from the log before they were accepted are skipped, counted and
//   reported to the operator (state/log/source_mark.h explains why skipping them is safe).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "state/log/source_mark.h"
#include "state/store/view.h"
#include "topics/log.h"

namespace penstock {

// A message, as described by its headers.
struct MessageOrigin {
  std::string_view source;
  std::string_view place;  // "<topic>/<partition>" of its destination
  std::uint64_t seq = 0;
  // the oldest message that was unacknowledged when it was emitted; 0: not given
  std::uint64_t oldest = 0;
};
[[nodiscard]] std::optional<MessageOrigin> parse_message_header(std::string_view header);

class Arrivals {
 public:
  // The maximum number of notices for the operator between two calls of take_notices(); further
  // ones are only counted.
  static constexpr std::size_t kMaxNotices = 16;

  // `place` is "<topic>/<partition>" of the input. The view must outlive this object.
  Arrivals(View& view, std::string place) : view_(view), place_(std::move(place)) {}

  // To be called once the view shows the partition's rows.
  void restored();

  // The message that these headers describe, if it is one to this partition. The result is views
  // into the headers.
  [[nodiscard]] std::optional<MessageOrigin> addressed(std::span<const HeaderView> headers) const;
  // Whether to accept the message. If so, notes in the view that it was accepted.
  [[nodiscard]] bool take(const MessageOrigin& message, Offset at);
  // The input below `next` has been removed before it was read.
  void skipped_to(Offset next);

  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }
  // messages that were lost in those jumps
  [[nodiscard]] std::uint64_t missed() const { return missed_; }
  // What an operator should know; each notice is returned once.
  [[nodiscard]] std::vector<std::string> take_notices();

 private:
  void tell(std::string_view source, const SourceMark::Answer& answer);

  View& view_;
  std::string place_;
  Offset gap_{-1};
  std::uint64_t jumps_ = 0, missed_ = 0;
  std::vector<std::string> notices_;
  std::uint64_t untold_ = 0;
};

}  // namespace penstock
