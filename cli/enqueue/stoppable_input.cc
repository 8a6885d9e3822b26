#include "cli/enqueue/stoppable_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "topics/values/check.h"

namespace penstock {

Result<std::unique_ptr<StoppableInput>> StoppableInput::open(const std::string& path) {
  // A copy of standard input, because the destructor closes the descriptor.
  const int file = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure("cannot read " + path + ": " + std::strerror(errno));
  const int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  PENSTOCK_CHECK(stop >= 0, "an eventfd can be had while files can");
  return std::unique_ptr<StoppableInput>(new StoppableInput(file, stop));
}

StoppableInput::StoppableInput(int file, int stop)
    : file_(file), stop_(stop), buffer_(kMaxLineBytes), stream_(this) {}

StoppableInput::~StoppableInput() {
  close(file_);
  close(stop_);
}

void StoppableInput::stop() {
  stopped_ = true;
  eventfd_write(stop_, 1);
}

StoppableInput::int_type StoppableInput::underflow() {
  // The rest of the buffer is the beginning of a line.
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(handed_on_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= std::exchange(handed_on_, 0);
  while (filled_ < buffer_.size()) {
    // What has been read so far is a part of a line, and is dropped.
    if (!wait_for_more()) return traits_type::eof();
    const ssize_t bytes = ::read(file_, buffer_.data() + filled_, buffer_.size() - filled_);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;  // the end, or an error, which is treated alike
    const std::string_view read(buffer_.data() + filled_, static_cast<std::size_t>(bytes));
    const std::size_t line_end = read.rfind('\n');
    const std::size_t before = std::exchange(filled_, filled_ + read.size());
    if (line_end != read.npos) return hand_on(before + line_end + 1);
  }
  return hand_on(filled_);
}

StoppableInput::int_type StoppableInput::hand_on(std::size_t bytes) {
  handed_on_ = bytes;
  setg(buffer_.data(), buffer_.data(), buffer_.data() + bytes);
  return bytes == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_[0]);
}

std::streamsize StoppableInput::xsgetn(char* to, std::streamsize count) {
  if (gptr() == egptr() && underflow() == traits_type::eof()) return 0;
  const std::streamsize bytes = std::min<std::streamsize>(count, egptr() - gptr());
  std::copy(gptr(), gptr() + bytes, to);
  setg(eback(), gptr() + bytes, egptr());
  return bytes;
}

bool StoppableInput::wait_for_more() const {
  std::array<pollfd, 2> files{{{file_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (::poll(files.data(), files.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  // stop() wins, even if there is more to read.
  return files[1].revents == 0;
}

}  // namespace penstock
