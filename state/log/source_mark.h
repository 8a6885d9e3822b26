// What a receiving partition remembers about one source of messages: which of its numbers have been
// accepted. A pure value.
//
// A sender numbers its messages to this partition without gaps. With each message it says up to
// which number all were acknowledged when it was emitted: `oldest` is the first that was not. As
// long as nothing is missing, the receiver accepts only the number after the last one. This keeps
// the order, and a repeated or overtaking message changes nothing, because the sender emits again
// from its oldest one.
//
// A number below `oldest` is never worth waiting for, because the sender removes a message only
// after one producer has acknowledged it and all before it, at increasing offsets. The present
// message was emitted after that, so those messages precede it in this partition's log. A receiver
// that reads the log without a gap has therefore accepted them. If it has not, they were removed
// before it reached them and will not be sent again: it continues after them, and reports how many
// it has missed.
//
// After a gap in the log, that is not enough: of a burst 6..12, all emitted with oldest = 6, the
// gap may have swallowed 6..9. So from the gap onwards the line is *open*: a number further on is
// accepted as well, and the numbers before it are kept as holes. A hole that arrives after all (it
// had failed and was sent again) is accepted; one that falls below `oldest` was missed. The line
// closes with a message that skips nothing, once everything up to the last one that did has been
// acknowledged. It cannot close earlier: the first message after the gap may come from a replaced
// owner, and messages that its successor has since had acknowledged may be in the gap, with higher
// numbers. (So if a replaced owner's message closes the line before its successor's first one
// arrives, the following messages wait for `oldest`.)
//
//   row := last:u64 at:i64 open_to:u64 (first:u64 last:u64)*        the pairs are the holes
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topics/values/types.h"

namespace penstock {

class SourceMark {
 public:
  // Above this number of holes, the lowest is given up as if its messages had been removed.
  static constexpr std::size_t kMaxHoles = 64;

  struct Numbers {
    std::uint64_t first = 0, last = 0;
  };
  struct Answer {
    bool taken = false;
    bool changed = false;         // the row must be written
    std::vector<Numbers> missed;  // in order: messages that will not arrive any more
  };

  [[nodiscard]] static SourceMark decode(std::string_view row);
  [[nodiscard]] std::string encode() const;

  // Judges the message `seq`, read at the offset `at`. The receiver has skipped records below the
  // offset `gap`, which were removed before it reached them.
  [[nodiscard]] Answer take(std::uint64_t seq, std::uint64_t oldest, Offset at, Offset gap);

  [[nodiscard]] std::uint64_t last() const { return last_; }

 private:
  void give_up_below(std::uint64_t oldest, Answer& answer);
  [[nodiscard]] bool fill(std::uint64_t seq);
  void leave_out(std::uint64_t first, std::uint64_t last, Answer& answer);

  std::uint64_t last_ = 0;     // the highest number that was accepted or given up
  Offset at_{-1};              // the offset of the last message that was accepted
  std::uint64_t open_to_ = 0;  // open until all up to this one are acknowledged; 0: closed
  std::vector<Numbers> holes_;
};

}  // namespace penstock
