// The streams of GET /v1/events (server-sent events): every kEvery, each of them is sent what there
// is to say to its caller. A thread of its own makes the texts, and only while there are streams.
//
// Thread-safe. At most kMaxStreams at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "api/request/message.h"

namespace penstock {

class EventStreams {
 public:
  using Id = std::uint64_t;
  static constexpr std::size_t kMaxStreams = 200;
  static constexpr std::chrono::milliseconds kEvery{1'000};

  using Text = std::function<std::string(const Caller&)>;
  using Push = std::function<void(Id, const std::string&)>;
  EventStreams(Text text, Push push) : text_(std::move(text)), push_(std::move(push)) {}
  ~EventStreams() { stop(); }

  // False: there are too many.
  [[nodiscard]] bool add(Id id, const Caller& caller);
  void remove(Id id);
  // Sends nothing more.
  void stop();

 private:
  void run(const std::stop_token& stop);
  void send_all();

  const Text text_;
  const Push push_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<Id, Caller> streams_;
  bool stopped_ = false;
  std::jthread thread_;  // started with the first stream
};

}  // namespace penstock
