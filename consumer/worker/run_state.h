// How far a runtime has come, and what its threads tell each other about that: that it is to stop,
// that it cannot go on, and why it is not ready. May be used from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace penstock {

class RunState {
 public:
  void ask_to_stop();
  // The process cannot go on; only the first reason is kept.
  void broken(const std::string& reason);
  // Empty: it can.
  [[nodiscard]] std::string why_broken() const;
  // Whether this is a change.
  [[nodiscard]] bool set_connected(bool connected);

  // What it waits for before it is ready. False: it is time to end, and nothing is set.
  [[nodiscard]] bool waits_for(const std::string& what);
  // All loops have been created.
  void loops_made();
  [[nodiscard]] bool has_loops() const;
  // Whether all loops run their partitions, and what keeps one from its work.
  void looked(bool all_run, std::string trouble);
  void stopping();
  // Empty: ready.
  [[nodiscard]] std::string not_ready() const;

  // Waits for so long, or until it is time to end. False: it is.
  [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
  // The same while it stops. False: it cannot go on.
  [[nodiscard]] bool wait_stopping(std::chrono::milliseconds at_most);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_asked_ = false;
  bool loops_made_ = false;
  bool ready_ = false;
  bool connected_ = true;
  std::string waiting_for_ = "starting";
  std::string trouble_;  // of a loop
  std::string broken_;
};

}  // namespace penstock
