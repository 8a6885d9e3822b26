// What HTTP and exec handlers are sent: one attempt as one JSON object on one line (SPEC section
// 6).
//
//   {"id","type","account","queue","args","attempt","max_attempts","token","cursor","headers"}
//
// and of a batch, instead of "args", "items": [{"id","args","attempt","headers"}, …] in the queue's
// order; id, attempt and headers are then the first one's. `cursor` is null when there is none;
// `headers` is an object, of a repeated name the last value stands; header bytes that are no UTF-8
// become U+FFFD. A pure function, safe from any thread.
#pragma once

#include <string>

#include "consumer/job/handler.h"

namespace penstock {

[[nodiscard]] std::string request_json(const AttemptRequest& request);

}  // namespace penstock
