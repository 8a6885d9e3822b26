#include "consumer/handlers/exec/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace penstock {

LineReader::Fill LineReader::fill(int fd) {
  buffer_.erase(0, begin_);
  // What has been searched is not searched again, so a long line that arrives in many chunks costs
  // linear time.
  searched_ -= begin_;
  begin_ = 0;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kChunkBytes);
  const ssize_t got = ::read(fd, buffer_.data() + had, kChunkBytes);
  // resize() may change errno.
  const int error = errno;
  buffer_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got > 0) return Fill::kMore;
  if (got < 0 && error == EINTR) return Fill::kMore;
  return got < 0 && error == EAGAIN ? Fill::kDrained : Fill::kEnded;
}

std::optional<std::string_view> LineReader::next() {
  const std::size_t end = buffer_.find('\n', searched_);
  if (end == buffer_.npos) {
    searched_ = buffer_.size();
    return std::nullopt;
  }
  std::string_view line(buffer_.data() + begin_, end - begin_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  begin_ = searched_ = end + 1;
  return line;
}

std::string LineReader::take_rest() {
  std::string rest = buffer_.substr(begin_);
  buffer_.clear();
  begin_ = searched_ = 0;
  return rest;
}

}  // namespace penstock
