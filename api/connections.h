// What is asked of a server's threads: a bounded number of connections at once, and a bounded line
// of those that wait. When the line is full the accepting thread waits, and the system's own
// backlog holds the rest. (The shape is that of the HTTP library's task queue, which server.cc
// wraps.)
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock {

class Connections {
 public:
  Connections(std::size_t threads, std::size_t max_waiting);
  ~Connections() { finish(); }

  // Waits while the line is full.
  void add(std::function<void()> connection);
  // Serves what is in line and ends the threads.
  void finish();

 private:
  void run();

  const std::size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool finishing_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace penstock
