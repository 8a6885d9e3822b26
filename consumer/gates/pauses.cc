#include "consumer/gates/pauses.h"

namespace penstock {

std::vector<Gate*> Pauses::set_control(const Control* control) {
  control_ = control;
  std::vector<Gate*> gates;
  for (const auto& [key, gate] : gates_) {
    gate->set(control ? control->pause(key) : nullptr);
    gates.push_back(gate.get());
  }
  return gates;
}

void Pauses::forget_open() {
  absl::erase_if(gates_, [](const auto& entry) {
    const PauseGate& gate = *entry.second;
    // A gate with a timer is still known to the scheduler.
    return gate.unused() && gate.timer.number == 0 && gate.room() != 0;
  });
}

Gate* Pauses::closed(LiveJob* job, const Line&) {
  // The common case, which builds no keys.
  if (!control_ || !control_->has_pauses()) return nullptr;
  for (const PauseTarget& target :
       {PauseTarget{queue_, {}, {}}, PauseTarget{queue_, job->row.type, {}},
        PauseTarget{queue_, {}, job->row.account}}) {
    const std::string key = pause_key(target);
    const Pause* const pause = control_->pause(key);
    if (!pause) continue;
    // Made only when a job meets it: there may be many pauses that concern no job here.
    std::unique_ptr<PauseGate>& gate = gates_[key];
    if (!gate) gate = std::make_unique<PauseGate>(target);
    gate->set(pause);
    return gate.get();
  }
  return nullptr;
}

}  // namespace penstock
