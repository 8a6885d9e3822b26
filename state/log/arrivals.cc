#include "state/log/arrivals.h"

#include <utility>

#include "state/log/outbox.h"
#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

std::string numbers_text(const SourceMark::Numbers& numbers) {
  const std::string first = std::to_string(numbers.first);
  return numbers.first == numbers.last
             ? "message " + first
             : "messages " + first + " to " + std::to_string(numbers.last);
}

}  // namespace

std::optional<MessageOrigin> parse_message_header(std::string_view header) {
  // Neither '>' nor '#' may occur in a topic's name, so the first '>' ends the source and the last
  // '#' begins the number.
  const std::size_t arrow = header.find('>');
  const std::size_t number = header.rfind('#');
  if (arrow == std::string_view::npos || number == std::string_view::npos || number < arrow) {
    return std::nullopt;
  }
  const auto seq = whole_number<std::uint64_t>(header.substr(number + 1));
  if (!seq || *seq == 0) return std::nullopt;
  return MessageOrigin{header.substr(0, arrow), header.substr(arrow + 1, number - arrow - 1), *seq,
                       0};
}

void Arrivals::restored() {
  std::string bytes;
  if (view_.get(keys::kMetaGap, &bytes)) gap_ = Offset{Cursor(bytes).i64()};
}

std::optional<MessageOrigin> Arrivals::addressed(std::span<const HeaderView> headers) const {
  std::optional<MessageOrigin> message;
  std::uint64_t oldest = 0;
  for (const HeaderView& header : headers) {
    // The outbox adds its headers after those of the message, so the last one of a name is the
    // outbox's; hence no early exit.
    if (header.name == kMessageHeader) message = parse_message_header(header.value.value_or(""));
    if (header.name == kOldestHeader) {
      oldest = whole_number<std::uint64_t>(header.value.value_or("")).value_or(0);
    }
  }
  // A dead record that is sent back to its queue still has the headers of its way to the dead
  // topic. If it were taken for a message, it would advance the mark of a source that never sent
  // it.
  if (!message || message->place != place_) return std::nullopt;
  message->oldest = oldest;
  return message;
}

bool Arrivals::take(const MessageOrigin& message, Offset at) {
  std::string key(1, keys::kWatermark);
  key.append(message.source);
  std::string row;
  SourceMark mark = view_.get(key, &row) ? SourceMark::decode(row) : SourceMark();
  const SourceMark::Answer answer = mark.take(message.seq, message.oldest, at, gap_);
  if (answer.changed) view_.put(key, mark.encode());
  if (!answer.missed.empty()) tell(message.source, answer);
  return answer.taken;
}

void Arrivals::skipped_to(Offset next) {
  // Kept in a row as well, because a source may not send its next message until after a take-over,
  // and its mark must open all the same.
  gap_ = next;
  std::string bytes;
  put_i64(bytes, next.value);
  view_.put(keys::kMetaGap, bytes);
}

void Arrivals::tell(std::string_view source, const SourceMark::Answer& answer) {
  ++jumps_;
  std::string which;
  for (const SourceMark::Numbers& numbers : answer.missed) {
    missed_ += numbers.last - numbers.first + 1;
    which += (which.empty() ? "" : ", ") + numbers_text(numbers);
  }
  // Only the notices are bounded; the counts above are complete.
  if (notices_.size() >= kMaxNotices) {
    ++untold_;
    return;
  }
  notices_.push_back(which + " from " + std::string(source) +
                     " were removed from the topic (by its retention, or by DeleteRecords) before "
                     "this partition took them: the follow-up jobs, bulk ends or slot reports in "
                     "them are lost, unless a state that was given up took them. It goes on behind "
                     "them. Keep the topic's retention longer than any outage");
}

std::vector<std::string> Arrivals::take_notices() {
  if (untold_ > 0) {
    notices_.push_back("and " + std::to_string(std::exchange(untold_, 0)) +
                       " more jumps over messages that were removed before they were taken");
  }
  return std::exchange(notices_, {});
}

}  // namespace penstock
