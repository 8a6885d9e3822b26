// The replies to an id that does not lead to exactly one job. Pure.
#pragma once

#include "api/request/message.h"
#include "api/source/source.h"

namespace penstock {

// Of answers that other partitions could add to, the member that names them.
inline constexpr const char* kNotHere = "partitions_not_here";

// To an id that jobs of several accounts have, to one that they may have because not all partitions
// have been asked, and to one that no job has.
[[nodiscard]] ApiReply ambiguous_id(const JobMatch& match);
[[nodiscard]] ApiReply unsure_account(const JobMatch& match);
[[nodiscard]] ApiReply no_such_job(const JobMatch& match);

}  // namespace penstock
