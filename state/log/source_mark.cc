#include "state/log/source_mark.h"

#include <algorithm>

#include "state/rows/encoding.h"

namespace penstock {

SourceMark SourceMark::decode(std::string_view row) {
  SourceMark mark;
  Cursor cursor(row);
  mark.last_ = cursor.u64();
  if (cursor.at_end()) return mark;  // earlier versions wrote only this
  mark.at_ = Offset{cursor.i64()};
  mark.open_to_ = cursor.u64();
  while (!cursor.at_end()) {
    const std::uint64_t first = cursor.u64();
    mark.holes_.push_back({first, cursor.u64()});
  }
  return mark;
}

std::string SourceMark::encode() const {
  std::string row;
  put_u64(row, last_);
  put_i64(row, at_.value);
  put_u64(row, open_to_);
  for (const Numbers& hole : holes_) {
    put_u64(row, hole.first);
    put_u64(row, hole.last);
  }
  return row;
}

SourceMark::Answer SourceMark::take(std::uint64_t seq, std::uint64_t oldest, Offset at,
                                    Offset gap) {
  Answer answer;
  oldest = std::min(oldest, seq);  // no message says that it was itself acknowledged
  give_up_below(oldest, answer);
  if (seq <= last_) {
    answer.taken = fill(seq);
  } else {
    // The last message accepted precedes a gap, or numbers have just been given up: others may be
    // missing too, so the line opens.
    if (at_ < gap || !answer.missed.empty()) open_to_ = seq;
    answer.taken = seq == last_ + 1 || open_to_ != 0;
    if (answer.taken) {
      const bool leaps = seq > last_ + 1;
      if (leaps) leave_out(last_ + 1, seq - 1, answer);
      // What was skipped now may still arrive, so the line must stay open until it has been
      // acknowledged.
      if (open_to_ != 0 && leaps) open_to_ = seq;
      if (!leaps && oldest > open_to_) open_to_ = 0;
      last_ = seq;
    }
  }
  if (answer.taken) at_ = at;
  answer.changed = answer.taken || !answer.missed.empty();
  return answer;
}

// Everything below `oldest` was acknowledged before this message was emitted, so whatever has not
// been accepted of it is behind the reader. (The sender's next owner may emit some of it again if
// it does not know of the acknowledgement; a message that was reported as missed stays missed.)
void SourceMark::give_up_below(std::uint64_t oldest, Answer& answer) {
  if (oldest > last_ + 1) {
    holes_.push_back({last_ + 1, oldest - 1});
    last_ = oldest - 1;
  }
  auto hole = holes_.begin();
  for (; hole != holes_.end() && hole->first < oldest; ++hole) {
    answer.missed.push_back({hole->first, std::min(hole->last, oldest - 1)});
    if (hole->last >= oldest) {
      hole->first = oldest;
      break;
    }
  }
  holes_.erase(holes_.begin(), hole);
}

// True: the number was missing and is not any more.
bool SourceMark::fill(std::uint64_t seq) {
  const auto hole = std::find_if(holes_.begin(), holes_.end(),
                                 [seq](const Numbers& one) { return seq <= one.last; });
  if (hole == holes_.end() || seq < hole->first) return false;
  // The holes stay sorted and disjoint, as give_up_below() relies on: the number splits its hole in
  // two, shortens it or removes it.
  const Numbers before{hole->first, seq - 1};
  hole->first = seq + 1;
  const bool all = hole->first > hole->last;
  if (before.first <= before.last) {
    if (all) {
      *hole = before;
    } else {
      holes_.insert(hole, before);
    }
  } else if (all) {
    holes_.erase(hole);
  }
  return true;
}

void SourceMark::leave_out(std::uint64_t first, std::uint64_t last, Answer& answer) {
  holes_.push_back({first, last});
  // The row is read and written with every message of the source, so its size must be bounded.
  if (holes_.size() <= kMaxHoles) return;
  answer.missed.push_back(holes_.front());
  holes_.erase(holes_.begin());
}

}  // namespace penstock
