#include "consumer/handlers/exec/line_child.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace penstock {

LineChild::Step LineChild::step(std::string& unsent, std::chrono::milliseconds at_most) {
  // A descriptor of -1 is passed over.
  std::array<pollfd, 3> files{{{process_.out(), POLLIN, 0},
                               {process_.err(), POLLIN, 0},
                               {unsent.empty() ? -1 : process_.in(), POLLOUT, 0}}};
  if (::poll(files.data(), files.size(), static_cast<int>(at_most.count())) < 0)
    return errno == EINTR ? Step::kDone : Step::kFailed;
  bool takes_more = true;
  if (files[2].revents != 0) {
    const ssize_t sent = ::write(process_.in(), unsent.data(), unsent.size());
    takes_more = sent >= 0 || errno == EAGAIN || errno == EINTR;
    if (sent > 0) unsent.erase(0, static_cast<std::size_t>(sent));
  }
  if (files[1].revents != 0 && !errors_.read(process_.err(), kChunksPerStep)) process_.close_err();
  if (files[0].revents != 0 && lines_.fill(process_.out()) == LineReader::Fill::kEnded) {
    process_.close_out();
    has_ended_ = true;
  }
  return takes_more ? Step::kDone : Step::kInputClosed;
}

}  // namespace penstock
