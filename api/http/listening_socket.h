// A socket that listens on an address. It does not block and is not inherited by child processes.
// May be called from any thread.
#pragma once

#include <string>

#include "consumer/handlers/io/fd.h"
#include "topics/values/result.h"

namespace penstock {

struct ListeningSocket {
  Fd fd;
  int port = 0;  // the actual port
};

// `port` 0 means any free port. Two sockets never share an address.
[[nodiscard]] Result<ListeningSocket> listen_on(const std::string& host, int port);

}  // namespace penstock
