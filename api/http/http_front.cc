#include "api/http/http_front.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace penstock {
namespace {

using State = HttpConnection::State;

constexpr std::uint64_t kListenerName = 0;  // connections are numbered from 1
constexpr int kAcceptsPerTurn = 64;
constexpr std::size_t kReadBytes = 64 << 10;            // from one connection at a time
constexpr std::chrono::milliseconds kAcceptPause{100};  // when no descriptor is available

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

HttpFront::HttpFront(Fd listener, HttpRules rules, HttpLimits limits, OnRequest on_request)
    : rules_(std::move(rules)),
      limits_(limits),
      on_request_(std::move(on_request)),
      listener_(std::move(listener)),
      now_(Clock::now()) {
  poller_.set(listener_.get(), EPOLLIN, kListenerName);
}

void HttpFront::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void HttpFront::reply(ConnectionId connection, HttpReply reply) {
  {
    const std::lock_guard lock(mutex_);
    replies_.emplace_back(connection, std::move(reply));
  }
  poller_.wake();
}

void HttpFront::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  poller_.wake();
  thread_.join();
}

// -- The thread

void HttpFront::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) pass();
  begin_stop();
  while (owes_replies() && now_ < *stop_at_) pass();
}

void HttpFront::pass() {
  const auto ready_now = poller_.wait(next_deadline());
  now_ = Clock::now();
  for (const epoll_event& event : ready_now) {
    // Events name connections by number: an earlier event of this pass may have closed this one.
    if (event.data.u64 == Poller::kWoken) continue;
    if (event.data.u64 == kListenerName) {
      accept_some();
    } else if (const auto peer = peers_.find(event.data.u64); peer != peers_.end()) {
      ready(peer->first, peer->second, event.events);
    }
  }
  take_replies();
  end_late();
  remove_gone();
  if (accept_again_ && *accept_again_ <= now_) accept_again();
}

void HttpFront::take_replies() {
  std::vector<std::pair<ConnectionId, HttpReply>> replies;
  {
    const std::lock_guard lock(mutex_);
    replies.swap(replies_);
  }
  for (auto& [id, reply] : replies) {
    const auto peer = peers_.find(id);
    if (peer == peers_.end() || peer->second.gone) continue;
    peer->second.http.reply(reply);
    settle(id, peer->second);
  }
}

// -- Connections

void HttpFront::accept_some() {
  if (!listener_.is_open()) return;
  // Bounded, so that new connections do not delay the others; the poller reports again what is
  // left.
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.is_open()) {
      add(std::move(socket));
    } else if (would_block()) {
      return;
    } else if (errno != ECONNABORTED && !make_room()) {  // no descriptor is available
      return pause_accepting();
    }
  }
}

void HttpFront::pause_accepting() {
  // The poller would report the listener again at once, and this thread would spin.
  poller_.remove(listener_.get());
  accept_again_ = now_ + kAcceptPause;
}

void HttpFront::accept_again() {
  accept_again_.reset();
  if (listener_.is_open()) poller_.set(listener_.get(), EPOLLIN, kListenerName);
}

void HttpFront::add(Fd socket) {
  if (peers_.size() >= limits_.max_connections && !make_room()) return;
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const ConnectionId id = next_id_++;
  Peer& peer = peers_.try_emplace(id, std::move(socket), rules_, now_).first->second;
  settle(id, peer);
}

// Closes the connection that has been read for the longest time; false if all are being answered.
bool HttpFront::make_room() {
  remove_gone();
  auto oldest = peers_.end();
  for (auto at = peers_.begin(); at != peers_.end(); ++at) {
    const bool waits = at->second.http.wants_bytes();
    if (waits && (oldest == peers_.end() || at->second.since < oldest->second.since)) oldest = at;
  }
  if (oldest == peers_.end()) return false;
  oldest->second.gone = true;
  remove_gone();
  return true;
}

void HttpFront::remove_gone() {
  std::erase_if(peers_, [this](const auto& entry) {
    const Peer& peer = entry.second;
    if (peer.gone) bytes_held_ -= peer.bytes_held;
    return peer.gone;
  });
}

// -- Reading and writing

void HttpFront::ready(ConnectionId id, Peer& peer, std::uint32_t events) {
  if ((events & EPOLLERR) != 0 || ((events & EPOLLHUP) != 0 && !peer.http.wants_bytes())) {
    peer.gone = true;  // nobody reads the reply any more
    return;
  }
  if ((events & (EPOLLIN | EPOLLHUP)) != 0) read_some(peer);
  if (!peer.gone) settle(id, peer);
}

void HttpFront::read_some(Peer& peer) {
  std::array<char, kReadBytes> bytes;
  // Once per event, so that a fast client does not delay the others. epoll reports again what is
  // left.
  const ssize_t got = ::recv(peer.fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0 && would_block()) return;
  if (got <= 0) {
    peer.gone = true;
    return;
  }
  peer.last_bytes = now_;
  peer.http.received({bytes.data(), static_cast<std::size_t>(got)});
  recount(peer);
  // Only a request that is still being read can be refused; one that is being answered gets its
  // reply.
  const bool reads = peer.http.state() == State::kHead || peer.http.state() == State::kBody;
  if (reads && bytes_held_ > limits_.max_bytes_held) {
    peer.http.refuse({503, "the server has no room for more bytes of requests: try again"});
  }
}

void HttpFront::recount(Peer& peer) {
  bytes_held_ -= peer.bytes_held;
  peer.bytes_held = peer.http.bytes_held();
  bytes_held_ += peer.bytes_held;
}

void HttpFront::write_some(Peer& peer) {
  while (!peer.http.unsent().empty()) {
    const std::string_view text = peer.http.unsent();
    const ssize_t sent = ::send(peer.fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && would_block()) return;
    if (sent < 0) {
      peer.gone = true;
      return;
    }
    peer.last_bytes = now_;
    peer.http.sent(static_cast<std::size_t>(sent));
  }
}

// Called after any change: sends, passes requests on, and updates the events to wait for.
void HttpFront::settle(ConnectionId id, Peer& peer) {
  write_some(peer);
  if (auto request = peer.http.request()) on_request_(id, *std::move(request));
  recount(peer);
  if (peer.gone) return;
  if (peer.http.state() != peer.state) peer.since = now_;
  peer.state = peer.http.state();
  if (peer.http.is_over() && !std::exchange(peer.write_ended, true)) {
    // Closing at once, with input unread, would reset the connection, and the client might lose the
    // reply. So the client is told the end first, and gets some time to read up to it.
    ::shutdown(peer.fd.get(), SHUT_WR);
    peer.since = now_;
  }
  const std::uint32_t events = (peer.http.wants_bytes() ? std::uint32_t{EPOLLIN} : 0U) |
                               (peer.http.unsent().empty() ? 0U : std::uint32_t{EPOLLOUT});
  if (events != std::exchange(peer.events, events)) poller_.set(peer.fd.get(), events, id);
}

// -- Time

std::optional<HttpFront::Clock::time_point> HttpFront::deadline(const Peer& peer) const {
  const auto active = std::max(peer.last_bytes, peer.since);
  switch (peer.state) {
    case State::kIdle:
      return peer.since + limits_.idle_time;
    case State::kHead:
      return peer.since + limits_.head_time;
    case State::kBody:
      return std::min(active + limits_.body_pause, peer.since + limits_.body_time);
    case State::kReplying:
      return active + limits_.write_pause;
    case State::kClosing:
      return peer.write_ended ? peer.since + limits_.linger_time : active + limits_.write_pause;
    case State::kAnswering:
      break;
  }
  return std::nullopt;
}

std::optional<HttpFront::Clock::time_point> HttpFront::next_deadline() const {
  std::optional<Clock::time_point> next = accept_again_;
  const auto add = [&next](std::optional<Clock::time_point> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  add(stop_at_);
  for (const auto& [id, peer] : peers_) add(deadline(peer));
  return next;
}

void HttpFront::end_late() {
  for (auto& [id, peer] : peers_) {
    const auto at = deadline(peer);
    if (peer.gone || !at || *at > now_) continue;
    // Only a client that has begun a request gets a reply; others would not expect one.
    if (peer.state != State::kHead && peer.state != State::kBody) {
      peer.gone = true;
      continue;
    }
    peer.http.refuse({408, "the request did not arrive completely in time"});
    settle(id, peer);
  }
}

// -- The end

void HttpFront::begin_stop() {
  now_ = Clock::now();
  stop_at_ = now_ + limits_.stop_time;
  listener_.close();
  for (auto& [id, peer] : peers_) {
    peer.http.end();
    settle(id, peer);
  }
}

bool HttpFront::owes_replies() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& entry) {
    return entry.second.http.state() == State::kAnswering || !entry.second.http.unsent().empty();
  });
}

}  // namespace penstock
