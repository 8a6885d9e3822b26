#include "api/http/http_session.h"

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <utility>

namespace penstock {

using State = HttpConnection::State;

HttpSession::HttpSession(asio::ip::tcp::socket socket, Parts parts, Changed changed)
    : socket_(std::move(socket)),
      parts_(std::move(parts)),
      changed_(std::move(changed)),
      http_(parts_.rules, parts_.address),
      since_(Clock::now()),
      last_bytes_(since_) {}

void HttpSession::start() {
  asio::error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  settle();
}

void HttpSession::settle() {
  if (gone_) return;
  if (http_.state() != state_) since_ = Clock::now();
  state_ = http_.state();
  write();
  if (http_.state() != state_) since_ = Clock::now();
  state_ = http_.state();
  end_of_writing();
  if (!gone_ && http_.wants_bytes()) read();
}

// -- Reading

void HttpSession::read() {
  if (std::exchange(reading_, true)) return;
  // Waits without a buffer, so that an idle connection costs none.
  socket_.async_wait(asio::ip::tcp::socket::wait_read,
                     [self = shared_from_this()](const asio::error_code& error) {
                       self->reading_ = false;
                       if (self->gone_) return;
                       if (error) return self->close(), self->changed_(*self);
                       self->on_readable();
                     });
}

void HttpSession::on_readable() {
  // A reply may have begun in the meantime; the bytes then wait in the socket.
  if (!http_.wants_bytes()) return;
  std::array<char, kReadBytes> bytes;
  asio::error_code error;
  // Once per event, so that a fast client does not delay the others.
  const std::size_t got = socket_.read_some(asio::buffer(bytes), error);
  if (error == asio::error::would_block) return read();
  if (error) {
    close();
  } else {
    last_bytes_ = Clock::now();
    received({bytes.data(), got});
  }
  changed_(*this);
}

void HttpSession::received(std::string_view bytes) {
  if (!parts_.tls) return http_.received(bytes);
  std::string plain;
  const bool goes_on = parts_.tls->received(bytes, plain);
  if (!plain.empty()) http_.received(plain);
  if (!goes_on) {
    // An alert tells the client why; it is lost if the socket has no room for it.
    seal();
    asio::error_code ignored;
    socket_.write_some(asio::buffer(sealed_), ignored);
    close();
  }
}

// -- Writing

void HttpSession::seal() {
  if (!parts_.tls) return;
  // In pieces, so that a large reply is not held twice.
  while (sealed_.size() < kReadBytes && !http_.unsent().empty()) {
    const std::string_view piece = http_.unsent().substr(0, kReadBytes);
    if (!parts_.tls->send(piece)) return close();
    http_.sent(piece.size());
    sealed_ += parts_.tls->take_sealed();
  }
  sealed_ += parts_.tls->take_sealed();
}

std::string_view HttpSession::to_send() const {
  return parts_.tls ? std::string_view(sealed_) : http_.unsent();
}

void HttpSession::write() {
  seal();
  while (!gone_ && !writing_ && !to_send().empty()) {
    asio::error_code error;
    const std::string_view text = to_send();
    const std::size_t sent = socket_.write_some(asio::buffer(text.data(), text.size()), error);
    if (error == asio::error::would_block) {
      writing_ = true;
      socket_.async_wait(asio::ip::tcp::socket::wait_write,
                         [self = shared_from_this()](const asio::error_code& failed) {
                           self->writing_ = false;
                           if (self->gone_) return;
                           if (failed) self->close();
                           self->changed_(*self);
                         });
      return;
    }
    if (error) return close();
    last_bytes_ = Clock::now();
    if (parts_.tls) {
      sealed_.erase(0, sent);
      seal();
    } else {
      http_.sent(sent);
    }
  }
}

void HttpSession::end_of_writing() {
  if (gone_ || !http_.is_over() || !to_send().empty() || std::exchange(write_ended_, true)) return;
  asio::error_code ignored;
  if (parts_.tls) {
    parts_.tls->end();
    sealed_ = parts_.tls->take_sealed();
    socket_.write_some(asio::buffer(sealed_), ignored);
    sealed_.clear();
  }
  // Closing at once, with input unread, would reset the connection, and the client might lose the
  // reply. So the client is told the end first, and gets some time to read up to it.
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  since_ = Clock::now();
}

bool HttpSession::owes_nothing() const {
  return http_.state() != State::kAnswering && to_send().empty();
}

void HttpSession::close() {
  if (std::exchange(gone_, true)) return;
  asio::error_code ignored;
  socket_.close(ignored);
}

// -- Time

std::optional<HttpSession::Clock::time_point> HttpSession::deadline() const {
  const HttpLimits& limits = parts_.limits;
  const auto active = std::max(last_bytes_, since_);
  switch (state_) {
    case State::kIdle:
      return since_ + limits.idle_time;
    case State::kHead:
      return since_ + limits.head_time;
    case State::kBody:
      return std::min(active + limits.body_pause, since_ + limits.body_time);
    case State::kReplying:
      return active + limits.write_pause;
    case State::kStreaming:
      if (to_send().empty()) return std::nullopt;
      return active + limits.write_pause;
    case State::kClosing:
      return write_ended_ ? since_ + limits.linger_time : active + limits.write_pause;
    case State::kAnswering:
      break;
  }
  return std::nullopt;
}

void HttpSession::expire() {
  // Only a client that has begun a request gets a reply; others would not expect one.
  if (state_ != State::kHead && state_ != State::kBody) return close();
  http_.refuse({408, "the request did not arrive completely in time"});
}

}  // namespace penstock
