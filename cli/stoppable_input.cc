#include "cli/stoppable_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "topics/check.h"

namespace penstock {

Result<std::unique_ptr<StoppableInput>> StoppableInput::open(const std::string& path) {
  const int file = path == "-" ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure("cannot read " + path + ": " + std::strerror(errno));
  const int stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  PENSTOCK_CHECK(stop >= 0, "an eventfd can be had while files can");
  return std::unique_ptr<StoppableInput>(new StoppableInput(file, stop));
}

StoppableInput::StoppableInput(int file, int stop) : file_(file), stop_(stop), stream_(this) {}

StoppableInput::~StoppableInput() {
  close(file_);
  close(stop_);
}

void StoppableInput::stop() {
  stopped_ = true;
  eventfd_write(stop_, 1);
}

StoppableInput::int_type StoppableInput::underflow() {
  if (!wait_for_more()) return traits_type::eof();
  ssize_t bytes = 0;
  do {
    bytes = ::read(file_, buffer_.data(), buffer_.size());
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0) return traits_type::eof();
  setg(buffer_.data(), buffer_.data(), buffer_.data() + bytes);
  return traits_type::to_int_type(buffer_[0]);
}

bool StoppableInput::wait_for_more() const {
  std::array<pollfd, 2> files{{{file_, POLLIN, 0}, {stop_, POLLIN, 0}}};
  while (::poll(files.data(), files.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return files[1].revents == 0;
}

}  // namespace penstock
