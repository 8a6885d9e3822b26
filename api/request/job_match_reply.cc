#include "api/request/job_match_reply.h"

#include <utility>

#include "api/request/problem.h"

namespace penstock {
namespace {

ApiReply which_account(const JobMatch& match, std::string detail) {
  Problem problem{
      .status = 409, .detail = std::move(detail), .member = "account", .kind = "ambiguous-id"};
  for (const ShownJob& job : match.jobs) problem.more["accounts"].push_back(job.account);
  if (!match.not_here.empty()) problem.more[kNotHere] = match.not_here;
  return reply_of(problem);
}

}  // namespace

ApiReply ambiguous_id(const JobMatch& match) {
  return which_account(match,
                       "several accounts have a job with this id: name one of them with ?account=");
}

ApiReply unsure_account(const JobMatch& match) {
  return which_account(match,
                       "this worker does not own every partition of the queue, so another account "
                       "may have a job with this id too: name the account with ?account=");
}

ApiReply no_such_job(const JobMatch& match) {
  Problem problem{
      .status = 404, .detail = "there is no such job", .member = "id", .kind = "no-such-job"};
  if (!match.not_here.empty()) {
    problem.detail =
        "there is no such job in the partitions that this instance owns: ask the others";
    problem.more[kNotHere] = match.not_here;
  }
  return reply_of(problem);
}

}  // namespace penstock
