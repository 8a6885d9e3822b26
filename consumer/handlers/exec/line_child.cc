#include "consumer/handlers/exec/line_child.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "topics/values/printable.h"

namespace penstock {

LineChild::Answer LineChild::ask(std::string line, std::chrono::seconds patience,
                                 const std::function<bool()>& stops) {
  // What it has written by now is no answer to this line.
  if (!step(std::chrono::milliseconds(0))) return tl::unexpected(fault("cannot be waited for"));
  if (has_output()) return tl::unexpected(unasked());
  unsent_ = std::move(line) + '\n';
  const auto deadline = Clock::now() + patience;
  while (!stops()) {
    if (const auto answer = lines_.next()) {
      if (has_unread()) return tl::unexpected(unasked());
      std::string text(*answer);
      if (auto more = settle(stops)) return tl::unexpected(*std::move(more));
      return text;
    }
    if (has_ended_) {
      LineFault ended = fault("ended before it had answered for every record");
      ended.has_ended = true;
      return tl::unexpected(std::move(ended));
    }
    if (lines_.is_too_long()) {
      return tl::unexpected(
          fault("wrote a line of more than " + std::to_string(max_line_bytes_) + " bytes"));
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return tl::unexpected(fault("gave no answer within " + std::to_string(patience.count()) +
                                  " s (does it buffer its output?)"));
    }
    if (!step(std::min(left, kLook))) return tl::unexpected(fault("cannot be waited for"));
  }
  return tl::unexpected(fault("was stopped"));
}

std::optional<LineFault> LineChild::finish(std::chrono::seconds patience) {
  process_.close_in();
  unsent_.clear();
  const auto deadline = Clock::now() + patience;
  while (!has_ended_ && !has_output() && Clock::now() < deadline) {
    if (!step(kLook)) return fault("cannot be waited for");
  }
  if (has_output()) return unasked();
  return std::nullopt;
}

bool LineChild::step(std::chrono::milliseconds at_most) {
  // A descriptor of -1 is passed over.
  std::array<pollfd, 3> files{{{process_.out(), POLLIN, 0},
                               {process_.err(), POLLIN, 0},
                               {unsent_.empty() || !takes_more_ ? -1 : process_.in(), POLLOUT, 0}}};
  if (::poll(files.data(), files.size(), static_cast<int>(at_most.count())) < 0)
    return errno == EINTR;
  if (files[2].revents != 0) {
    const ssize_t sent = ::write(process_.in(), unsent_.data(), unsent_.size());
    // It may still say why, and end.
    takes_more_ = sent >= 0 || errno == EAGAIN || errno == EINTR;
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
  }
  if (files[1].revents != 0 && !errors_.read(process_.err(), kChunksPerStep)) process_.close_err();
  if (files[0].revents != 0 && lines_.fill(process_.out()) == LineReader::Fill::kEnded) {
    process_.close_out();
    has_ended_ = true;
  }
  return true;
}

bool LineChild::has_unread() const {
  int in_pipe = 0;
  if (::ioctl(process_.in(), FIONREAD, &in_pipe) != 0) in_pipe = 0;
  // A parser may answer a JSON text at its end, before it has read the line break.
  return unsent_.size() + static_cast<std::size_t>(in_pipe) > 1;
}

std::optional<LineFault> LineChild::settle(const std::function<bool()>& stops) {
  const auto until = Clock::now() + (has_answered_ ? std::chrono::milliseconds(0) : kSettle);
  has_answered_ = true;
  while (!has_output()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0 || has_ended_ || stops()) return std::nullopt;
    if (!step(left)) return fault("cannot be waited for");
  }
  return unasked();
}

LineFault LineChild::fault(std::string what) {
  LineFault fault{std::move(what)};
  if (has_ended_) {
    if (const auto status = process_.reap()) fault.what += " (" + status->text + ")";
  }
  if (!errors_.last().empty()) fault.what += ": " + printable(errors_.last());
  return fault;
}

}  // namespace penstock
