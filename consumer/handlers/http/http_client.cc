#include "consumer/handlers/http/http_client.h"

#include <curl/curl.h>
#include <signal.h>

#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "consumer/handlers/http/http_transfer.h"
#include "consumer/handlers/io/poller.h"
#include "consumer/handlers/io/waiting_line.h"
#include "consumer/handlers/protocol/attempt_key_hash.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

struct CurlMultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using CurlMulti = std::unique_ptr<CURLM, CurlMultiDeleter>;

CurlMulti make_multi() {
  // Once per process, and thread-safe as a static.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  PENSTOCK_CHECK(initialised == CURLE_OK, "libcurl cannot start");
  CurlMulti multi(curl_multi_init());
  PENSTOCK_CHECK(multi != nullptr, "out of memory");
  return multi;
}

Time wall_now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

int curl_events(std::uint32_t events) {
  int mask = 0;
  if (events & (EPOLLIN | EPOLLHUP)) mask |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
  if (events & EPOLLERR) mask |= CURL_CSELECT_ERR;
  return mask;
}

std::uint32_t poll_events(int what) {
  std::uint32_t events = 0;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) events |= EPOLLOUT;
  return events;
}

}  // namespace

class HttpClient::Impl {
 public:
  Impl(std::size_t max_in_flight, std::chrono::milliseconds connect_timeout)
      : max_in_flight_(max_in_flight),
        connect_timeout_(connect_timeout),
        inbox_(poller_),
        multi_(make_multi()) {
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &Impl::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &Impl::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(max_in_flight));
    thread_ = std::jthread([this] { run(); });
  }

  ~Impl() {
    inbox_.push(EndCommand{});
    thread_.join();
    for (const auto& [key, transfer] : running_) {
      // libcurl requires the handles to leave before the multi handle is cleaned up.
      curl_multi_remove_handle(multi_.get(), transfer->easy());
    }
  }

  std::uint32_t add_endpoint(HttpEndpoint endpoint) {
    const std::lock_guard lock(endpoints_mutex_);
    endpoints_.push_back(std::move(endpoint));
    return static_cast<std::uint32_t>(endpoints_.size() - 1);
  }

  void push(InboxCommand command) { inbox_.push(std::move(command)); }

 private:
  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (!has_ended_) {
      for (const epoll_event& event : poller_.wait(timer_)) {
        if (event.data.u64 == Poller::kWoken) continue;
        act(static_cast<curl_socket_t>(event.data.u64), curl_events(event.events));
      }
      if (timer_ && *timer_ <= Poller::Clock::now()) {
        timer_.reset();
        act(CURL_SOCKET_TIMEOUT, 0);
      }
      for (InboxCommand& command : inbox_.take()) obey(std::move(command));
      finish_ended();
      // After the transfers that have ended have made room.
      begin_waiting();
    }
  }

  void act(curl_socket_t socket, int events) {
    int running = 0;
    const CURLMcode code = curl_multi_socket_action(multi_.get(), socket, events, &running);
    PENSTOCK_CHECK(code == CURLM_OK, curl_multi_strerror(code));
  }

  void obey(InboxCommand command) {
    if (auto* start = std::get_if<StartCommand>(&command)) {
      line_.push(std::move(*start));
    } else if (const auto* stop = std::get_if<StopCommand>(&command)) {
      if (auto waiting = leave_line(stop->key)) answer_interrupted(*waiting, kStoppedBeforeItBegan);
    } else if (const auto* kill = std::get_if<KillCommand>(&command)) {
      if (!leave_line(kill->key)) close(kill->key);
    } else {
      has_ended_ = true;
    }
  }

  std::optional<StartCommand> leave_line(const AttemptKey& key) {
    auto start = line_.remove(key);
    if (start) inbox_.left_waiting();
    return start;
  }

  void begin_waiting() {
    while (running_.size() < max_in_flight_) {
      auto start = line_.pop();
      if (!start) return;
      inbox_.left_waiting();
      begin(*std::move(start));
    }
  }

  void begin(StartCommand start) {
    const AttemptKey key = start.request.key;
    start.mailbox->begun(key);
    const HttpEndpoint& endpoint = endpoint_of(start);
    auto transfer = std::make_unique<HttpTransfer>(std::move(start), endpoint, connect_timeout_,
                                                   take_easy(), wall_now());
    CURL* easy = transfer->easy();
    const bool is_new = running_.emplace(key, std::move(transfer)).second;
    PENSTOCK_CHECK(is_new, "an attempt was started twice");
    const CURLMcode code = curl_multi_add_handle(multi_.get(), easy);
    PENSTOCK_CHECK(code == CURLM_OK, curl_multi_strerror(code));
  }

  const HttpEndpoint& endpoint_of(const StartCommand& start) {
    const std::lock_guard lock(endpoints_mutex_);
    return endpoints_.at(start.endpoint);
  }

  void finish_ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // the message becomes invalid with the handle
      void* self = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &self);
      auto& transfer = *static_cast<HttpTransfer*>(self);
      transfer.post_answer(code, wall_now());
      close(AttemptKey(transfer.key()));
    }
  }

  // Also closes the connection if the response is incomplete.
  void close(const AttemptKey& key) {
    auto found = running_.extract(key);
    if (found.empty()) return;
    curl_multi_remove_handle(multi_.get(), found.mapped()->easy());
    // Handles are used again because making one is costly; the connections belong to the multi
    // handle.
    idle_.push_back(found.mapped()->release());
  }

  CurlEasy take_easy() {
    if (idle_.empty()) {
      CurlEasy easy(curl_easy_init());
      PENSTOCK_CHECK(easy != nullptr, "out of memory");
      return easy;
    }
    CurlEasy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
    Poller& poller = static_cast<Impl*>(self)->poller_;
    if (what == CURL_POLL_REMOVE) {
      poller.remove(socket);
    } else {
      poller.set(socket, poll_events(what), static_cast<std::uint64_t>(socket));
    }
    return 0;
  }

  static int on_timer(CURLM*, long timeout_ms, void* self) {
    auto& timer = static_cast<Impl*>(self)->timer_;
    timer.reset();
    if (timeout_ms >= 0) timer = Poller::Clock::now() + std::chrono::milliseconds(timeout_ms);
    return 0;
  }

  const std::size_t max_in_flight_;
  const std::chrono::milliseconds connect_timeout_;
  Poller poller_;
  Inbox inbox_;
  std::mutex endpoints_mutex_;
  std::deque<HttpEndpoint> endpoints_;  // only grows, so transfers may point into it

  // Only for the thread.
  std::optional<Poller::Clock::time_point> timer_;
  WaitingLine line_;
  CurlMulti multi_;
  std::vector<CurlEasy> idle_;  // at most max_in_flight
  std::unordered_map<AttemptKey, std::unique_ptr<HttpTransfer>, AttemptKeyHash> running_;
  bool has_ended_ = false;

  std::jthread thread_;
};

HttpClient::HttpClient(std::size_t max_in_flight, std::chrono::milliseconds connect_timeout)
    : impl_(std::make_unique<Impl>(max_in_flight, connect_timeout)) {}
HttpClient::~HttpClient() = default;
std::uint32_t HttpClient::add_endpoint(HttpEndpoint endpoint) {
  return impl_->add_endpoint(std::move(endpoint));
}
void HttpClient::push(InboxCommand command) { impl_->push(std::move(command)); }

}  // namespace penstock
