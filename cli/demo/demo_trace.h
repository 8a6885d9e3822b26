// What really happened in a demo: every job that was sent and every attempt that a handler saw,
// with their times. Bounded, because the story has a fixed size. May be used from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "penstock/worker.h"

namespace penstock {

using DemoTime = std::chrono::steady_clock::time_point;

struct DemoSend {
  std::string account;
  std::string id;
  DemoTime at;
  bool acknowledged = false;
  bool repeat = false;  // it repeats an id that was sent before
};

struct DemoRun {
  std::string account;
  std::string id;
  std::string token;
  int attempt = 0;
  DemoTime started;
  DemoTime ended;
  std::chrono::system_clock::time_point wall_started;
  bool over = false;
  bool succeeded = false;
};

class DemoTrace {
 public:
  // Returns the number of the send or run, by which later calls refer to it.
  [[nodiscard]] std::size_t sent(const std::string& account, const std::string& id, bool repeat);
  void acknowledged(std::size_t send);
  [[nodiscard]] std::size_t started(const Attempt& attempt);
  void ended(std::size_t run, bool succeeded);

  // Blocks handlers until the story opens the gate, so that every account has jobs waiting before
  // the first one runs. Returns false if the story was given up.
  [[nodiscard]] bool wait_for_gate();
  void open_gate();
  [[nodiscard]] DemoTime opened() const;  // when the gate was opened

  // Waits until `count` runs have succeeded; false after `until`, or after give_up().
  [[nodiscard]] bool wait_for_successes(std::size_t count, DemoTime until);
  void give_up();
  [[nodiscard]] bool given_up() const;

  [[nodiscard]] std::vector<DemoSend> sends() const;
  [[nodiscard]] std::vector<DemoRun> runs() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<DemoSend> sends_;
  std::vector<DemoRun> runs_;
  std::size_t successes_ = 0;
  std::optional<DemoTime> opened_;
  bool given_up_ = false;
};

}  // namespace penstock
