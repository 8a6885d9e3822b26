// The web page at `/` and its assets. Pure.
#pragma once

#include "api/request/message.h"
#include "api/route/route_table.h"

namespace penstock {

// The page may load scripts and styles of this server only, none of them inline, and may talk to no
// other server.
inline constexpr const char* kPageSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// The page itself needs what reading needs, its assets nothing: they tell nothing of the jobs.
void add_page_to(RouteTable& table);

// The page, with this status: 401 shows it to somebody who has to sign in.
[[nodiscard]] ApiReply page_reply(const ApiRequest& request, int status);

}  // namespace penstock
