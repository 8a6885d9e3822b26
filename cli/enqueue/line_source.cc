#include "cli/enqueue/line_source.h"

#include <algorithm>

namespace penstock {

inline constexpr std::size_t kChunkBytes = 64u << 10;

LineSource::LineSource(std::istream& in, std::size_t max_bytes)
    : in_(in), max_bytes_(max_bytes), chunk_(kChunkBytes) {}

bool LineSource::fill() {
  // Reads from the buffer itself, which may return less than requested without being at its end.
  const auto room = static_cast<std::streamsize>(chunk_.size());
  const std::streamsize bytes = in_.rdbuf()->sgetn(chunk_.data(), room);
  at_ = 0;
  end_ = static_cast<std::size_t>(std::max<std::streamsize>(0, bytes));
  return end_ > 0;
}

std::optional<InputLine> LineSource::next() {
  line_.clear();
  bool any = false;
  bool too_long = false;
  for (bool ended = false; !ended && (at_ < end_ || fill());) {
    any = true;
    const auto* begin = chunk_.data() + at_;
    const auto* end = std::find(begin, static_cast<const char*>(chunk_.data()) + end_, '\n');
    const auto bytes = static_cast<std::size_t>(end - begin);
    const auto room = max_bytes_ - line_.size();
    line_.append(begin, std::min(bytes, room));
    too_long = too_long || bytes > room;
    ended = at_ + bytes < end_;
    at_ += bytes + (ended ? 1 : 0);
    bytes_ += bytes + (ended ? 1 : 0);
  }
  if (!any) return std::nullopt;
  return InputLine{.number = ++lines_, .text = line_, .too_long = too_long};
}

}  // namespace penstock
