// What a client may use of an HTTP server, and for how long (api/http/http_front.h says what happens
// at each bound). Values.
#pragma once

#include <chrono>
#include <cstddef>

namespace penstock {

struct HttpLimits {
  std::size_t max_connections = 10'000;
  std::size_t max_connections_per_address = 1'000;
  std::size_t max_bytes_held = 256 << 20;
  std::chrono::milliseconds idle_time{60'000};    // between two requests
  std::chrono::milliseconds head_time{10'000};    // from the first byte of a head to its last
  std::chrono::milliseconds body_pause{10'000};   // without any byte of the body
  std::chrono::milliseconds body_time{300'000};   // for the whole body
  std::chrono::milliseconds write_pause{10'000};  // without the client reading any byte of a reply
  std::chrono::milliseconds linger_time{2'000};   // for the client to read a last reply
  std::chrono::milliseconds stop_time{1'000};     // for outstanding replies when the front stops
};

}  // namespace penstock
