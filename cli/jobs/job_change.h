// What the commands do that change jobs: cancel, retry, reschedule, delete. Values.
#pragma once

#include <string_view>

namespace penstock {

struct JobChange {
  const char* op;
  const char* description;
  const char* default_state;  // the state to select if no --state is given; "" for any
  bool (*applies)(std::string_view state);  // to a job in this state, if no state is given
  bool reaches_unread;  // also chunks of a whole bulk that have not been read yet
  bool erases;          // what was selected cannot be had back
  const char* selects;  // without a filter: "every live job"
};

extern const JobChange kCancelJobs, kRetryJobs, kRescheduleJobs, kDeleteJobs;

}  // namespace penstock
