// The receiving end of other partitions' outboxes (state/log/outbox.h): which records of the input are
// messages to this partition, and which of those are taken. One belongs to a partition's task.
//
// What always holds:
//  - a record is a message only if it names this very partition as its destination. Whatever else
//    carries such a header (a dead record that was sent back with its headers) is an ordinary
//    record;
//  - every message is taken at most once, in the commit that takes its record from the input;
//  - what was removed from the log before it was taken is jumped over, counted, and told to the
//    operator (state/log/source_mark.h says why a jump is safe).
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

// A message, as its headers have it.
struct MessageOrigin {
  std::string_view source;
  std::string_view place;  // "<topic>/<partition>" that it is for
  std::uint64_t seq = 0;
  std::uint64_t oldest = 0;  // that was not acknowledged when it was emitted; 0: not said
};
[[nodiscard]] std::optional<MessageOrigin> parse_message_header(std::string_view header);

class Arrivals {
 public:
  // Notices kept for the operator between two calls of take_notices(); the rest are counted.
  static constexpr std::size_t kMaxNotices = 16;

  // `place`: "<topic>/<partition>" of the input. The view must outlive the arrivals.
  Arrivals(View& view, std::string place) : view_(view), place_(std::move(place)) {}

  // The view shows the partition's rows.
  void restored();

  // The message that these are the headers of, if it is one to this partition; views into them.
  [[nodiscard]] std::optional<MessageOrigin> addressed(std::span<const HeaderView> headers) const;
  // Whether the message is to be taken, and notes in the view that it was.
  [[nodiscard]] bool take(const MessageOrigin& message, Offset at);
  // The input below `next` is gone, and was not taken.
  void skipped_to(Offset next);

  [[nodiscard]] std::uint64_t jumps() const { return jumps_; }
  [[nodiscard]] std::uint64_t missed() const { return missed_; }  // messages, in those jumps
  // What an operator should know, each once.
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
