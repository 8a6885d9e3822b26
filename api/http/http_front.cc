#include "api/http/http_front.h"

#include <algorithm>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <map>
#include <thread>
#include <unordered_map>
#include <utility>

#include "api/http/http_session.h"

namespace penstock {
namespace {

using Clock = HttpSession::Clock;
using State = HttpConnection::State;

constexpr std::chrono::milliseconds kAcceptPause{100};  // when no descriptor is available
constexpr std::chrono::milliseconds kTick{20};          // between two looks at the deadlines

}  // namespace

class HttpFront::Impl {
 public:
  Impl(Fd listener, HttpRules rules, HttpLimits limits, Hooks hooks)
      : rules_(std::move(rules)), limits_(limits), hooks_(std::move(hooks)) {
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&bound), &size);
    acceptor_.assign(bound.ss_family == AF_INET6 ? asio::ip::tcp::v6() : asio::ip::tcp::v4(),
                     listener.release());
  }
  ~Impl() { stop(); }

  void start() {
    accept();
    thread_ = std::jthread([this] { io_.run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { begin_stop(); });
    thread_.join();
    for (auto& [id, session] : sessions_) session->close();
    sessions_.clear();
  }

  void with_session(ConnectionId id, std::function<void(HttpSession&)> function) {
    asio::post(io_, [this, id, function = std::move(function)] {
      const auto found = sessions_.find(id);
      if (found == sessions_.end() || found->second->gone()) return;
      const auto session = found->second;
      function(*session);
      changed(*session);
    });
  }

 private:
  // -- Accepting

  void accept() {
    if (!acceptor_.is_open()) return;
    acceptor_.async_accept([this](const asio::error_code& error, asio::ip::tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) {
        add(std::move(socket));
      } else if (error != asio::error::connection_aborted && !make_room({})) {
        return pause_accepting();  // no descriptor is available
      }
      accept();
    });
  }

  void pause_accepting() {
    accept_again_.expires_after(kAcceptPause);
    accept_again_.async_wait([this](const asio::error_code& error) {
      if (!error) accept();
    });
  }

  void add(asio::ip::tcp::socket socket) {
    asio::error_code gone;
    const auto endpoint = socket.remote_endpoint(gone);
    if (gone) return;
    const std::string address = endpoint.address().to_string();
    const auto here = per_address_.find(address);
    if (here != per_address_.end() && here->second >= limits_.max_connections_per_address &&
        !make_room(address))
      return;
    if (sessions_.size() >= limits_.max_connections && !make_room({})) return;
    HttpSession::Parts parts{next_id_++, address, rules_, limits_, {}};
    if (hooks_.certificate) parts.tls.emplace(hooks_.certificate());
    const ConnectionId id = parts.id;
    const auto session = std::make_shared<HttpSession>(std::move(socket), std::move(parts),
                                                       [this](HttpSession& of) { changed(of); });
    sessions_[id] = session;
    ++per_address_[address];
    session->start();
    changed(*session);
    tick();
  }

  // Closes the connection, of this address unless it is empty, that has been read for the longest
  // time; false if all are being answered.
  bool make_room(const std::string& address) {
    HttpSession* oldest = nullptr;
    for (auto& [id, session] : sessions_) {
      if (!session->http().wants_bytes() || session->http().state() == State::kStreaming) continue;
      if (!address.empty() && session->address() != address) continue;
      if (!oldest || session->since() < oldest->since()) oldest = session.get();
    }
    if (!oldest) return false;
    remove(*oldest);
    return true;
  }

  void remove(HttpSession& session) {
    session.close();
    bytes_held_ -= session.bytes_held;
    if (session.streams && hooks_.on_stream_gone) hooks_.on_stream_gone(session.id());
    if (--per_address_[session.address()] == 0) per_address_.erase(session.address());
    sessions_.erase(session.id());  // last: it may be what keeps the session
  }

  // -- Requests

  void changed(HttpSession& of) {
    const auto session = of.shared_from_this();
    recount(*session);
    // Only a request that is still being read can be refused; one that is being answered gets its
    // reply.
    const State state = session->http().state();
    if ((state == State::kHead || state == State::kBody) && bytes_held_ > limits_.max_bytes_held) {
      session->http().refuse({503, "the server has no room for more bytes of requests: try again"});
    }
    session->settle();
    // A pipelined request may follow at once, when a reply has been sent.
    while (auto request = session->http().request()) {
      hooks_.on_request(session->id(), *std::move(request));
      session->settle();
    }
    recount(*session);
    if (session->streams && session->http().state() != State::kStreaming) {
      session->streams = false;
      if (hooks_.on_stream_gone) hooks_.on_stream_gone(session->id());
    }
    if (session->http().state() == State::kStreaming) session->streams = true;
    if (session->gone() && sessions_.contains(session->id())) remove(*session);
    if (stopping_) end_if_nothing_is_owed();
  }

  void recount(HttpSession& session) {
    if (!sessions_.contains(session.id())) return;
    bytes_held_ -= session.bytes_held;
    session.bytes_held = session.http().bytes_held();
    bytes_held_ += session.bytes_held;
  }

  // -- Time

  // Runs as long as there are connections.
  void tick() {
    if (std::exchange(ticking_, true)) return;
    timer_.expires_after(kTick);
    timer_.async_wait([this](const asio::error_code& error) {
      ticking_ = false;
      if (error) return;
      end_late(Clock::now());
      if (!sessions_.empty()) tick();
    });
  }

  void end_late(Clock::time_point now) {
    std::vector<std::shared_ptr<HttpSession>> late;
    for (auto& [id, session] : sessions_) {
      const auto at = session->deadline();
      if (at && *at <= now) late.push_back(session);
    }
    for (const auto& session : late) {
      session->expire();
      changed(*session);
    }
  }

  // -- The end

  void begin_stop() {
    stopping_ = true;
    asio::error_code ignored;
    acceptor_.close(ignored);
    accept_again_.cancel();
    stop_timer_.expires_after(limits_.stop_time);
    stop_timer_.async_wait([this](const asio::error_code& error) {
      if (!error) io_.stop();
    });
    std::vector<std::shared_ptr<HttpSession>> all;
    for (auto& [id, session] : sessions_) all.push_back(session);
    for (const auto& session : all) {
      session->http().end();
      changed(*session);
    }
    end_if_nothing_is_owed();
  }

  void end_if_nothing_is_owed() {
    const bool owes = std::any_of(sessions_.begin(), sessions_.end(),
                                  [](const auto& entry) { return !entry.second->owes_nothing(); });
    if (!owes) io_.stop();
  }

  const HttpRules rules_;
  const HttpLimits limits_;
  const Hooks hooks_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::ip::tcp::acceptor acceptor_{io_};
  asio::steady_timer accept_again_{io_}, timer_{io_}, stop_timer_{io_};
  std::unordered_map<ConnectionId, std::shared_ptr<HttpSession>> sessions_;
  std::unordered_map<std::string, std::size_t> per_address_;
  ConnectionId next_id_ = 1;
  std::size_t bytes_held_ = 0;  // of all connections
  bool ticking_ = false, stopping_ = false;
  std::jthread thread_;
};

HttpFront::HttpFront(Fd listener, HttpRules rules, HttpLimits limits, Hooks hooks)
    : impl_(std::make_unique<Impl>(std::move(listener), std::move(rules), limits,
                                   std::move(hooks))) {}
HttpFront::~HttpFront() = default;

void HttpFront::start() { impl_->start(); }
void HttpFront::stop() { impl_->stop(); }

void HttpFront::reply(ConnectionId connection, HttpReply reply) {
  impl_->with_session(connection, [reply = std::move(reply)](HttpSession& session) {
    session.http().reply(reply);
  });
}

void HttpFront::push(ConnectionId connection, std::string piece) {
  impl_->with_session(connection, [piece = std::move(piece)](HttpSession& session) {
    if (!session.http().push(piece)) session.close();
  });
}

void HttpFront::finish(ConnectionId connection) {
  impl_->with_session(connection, [](HttpSession& session) { session.http().finish(); });
}

}  // namespace penstock
