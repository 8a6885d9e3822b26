// A socket that listens on an address. Does not block; not inherited by processes that are started.
#pragma once

#include <string>

#include "consumer/handlers/io/fd.h"
#include "topics/values/result.h"

namespace penstock {

struct ListeningSocket {
  Fd fd;
  int port = 0;  // that it has got
};

// `port` 0: any that is free. A second socket never shares an address that is taken.
[[nodiscard]] Result<ListeningSocket> listen_on(const std::string& host, int port);

}  // namespace penstock
