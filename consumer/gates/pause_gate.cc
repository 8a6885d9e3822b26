#include "consumer/gates/pause_gate.h"

#include "topics/values/rfc3339.h"

namespace penstock {

std::string PauseGate::what() const {
  std::string of = "the queue \"" + target_.queue + "\"";
  if (!target_.type.empty()) of = "the type \"" + target_.type + "\"";
  if (!target_.account.empty()) of = "the account \"" + target_.account + "\"";
  std::string text = of + " to be resumed: it is paused";
  if (pause_.since != Time{}) text += " since " + format_rfc3339(pause_.since);
  if (!pause_.by.empty()) text += " by " + pause_.by;
  return text;
}

}  // namespace penstock
