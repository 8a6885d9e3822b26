#include "consumer/copies/replay_gate.h"

namespace penstock {

void ReplayGate::set(const std::optional<ReplayRecord>& record) {
  const Said said = record ? Said{record->state, record->started_at, record->resumes} : Said{};
  // What was paused here has been heard by all, resumed, or ended.
  if (said != said_) own_reason_.clear();
  said_ = said;
  why_.clear();
  if (record) why_ = record->reason.empty() ? record->by : record->reason;
}

void ReplayGate::pause(const std::string& reason) {
  if (pauses_itself()) return;
  own_reason_ = reason;
  told_ = false;
}

std::string ReplayGate::what() const {
  const std::string& why = pauses_itself() ? own_reason_ : why_;
  return "the replay \"" + name_ + "\" to be resumed: it is paused" +
         (why.empty() ? "" : " (" + why + ")");
}

}  // namespace penstock
