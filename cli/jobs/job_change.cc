#include "cli/jobs/job_change.h"

#include "cli/jobs/job_selection.h"

namespace penstock {
namespace {

bool any_state(std::string_view) { return true; }
bool waits(std::string_view state) { return is_live(state) && state != "running"; }

}  // namespace

const JobChange kCancelJobs{"cancel",
                            "Cancel a job, or every live job that the filters select",
                            "",
                            is_live,
                            true,
                            true,
                            "every live job"};
const JobChange kRetryJobs{
    "retry",         "Run a job again, or every dead job that the filters select",
    "dead",          any_state,
    false,           false,
    "every dead job"};
const JobChange kRescheduleJobs{
    "reschedule",
    "Let a job wait until a time, or every waiting job that the filters select",
    "",
    waits,
    false,
    false,
    "every waiting job"};
const JobChange kDeleteJobs{"delete",
                            "Delete a live or kept job, or every job that the filters select",
                            "",
                            any_state,
                            true,
                            true,
                            "every live or kept job"};

}  // namespace penstock
