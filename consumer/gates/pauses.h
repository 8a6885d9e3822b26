// What operators have paused: the queue, a type or an account. Each has a gate of its own, made
// when a job first meets it. Used by the partition's one thread.
#pragma once

#include <absl/container/btree_map.h>

#include <memory>
#include <string>
#include <vector>

#include "consumer/control/control.h"
#include "consumer/gates/pause_gate.h"
#include "consumer/schedule/condition.h"

namespace penstock {

class Pauses final : public Condition {
 public:
  explicit Pauses(std::string queue) : queue_(std::move(queue)) {}

  // What operators have set is in force from now on; null: nothing is set. Returns the gates that
  // may be open now; they are valid until forget_open().
  [[nodiscard]] std::vector<Gate*> set_control(const Control* control);
  // Forgets the gates at which no line waits any more.
  void forget_open();

  [[nodiscard]] Gate* closed(LiveJob* job, const Line& line) override;

 private:
  const std::string queue_;
  const Control* control_ = nullptr;
  absl::btree_map<std::string, std::unique_ptr<PauseGate>> gates_;  // by control key
};

}  // namespace penstock
