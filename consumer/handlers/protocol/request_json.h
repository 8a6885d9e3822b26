// The request to an HTTP or exec handler: one attempt as one JSON object on one line
// (docs/handlers.md).
//
//   {"id","type","account","queue","args","attempt","max_attempts","token","cursor","headers"}
//
// For a batch, it has "items": [{"id","args","attempt","headers"}, …] instead of "args", in the
// queue's order; id, attempt and headers are those of the first item. `cursor` is null if there is
// none. `headers` is an object with the last value of each name; bytes that are not UTF-8 become
// U+FFFD. A pure function, which may be called from any thread.
#pragma once

#include <string>

#include "consumer/job/handler.h"

namespace penstock {

[[nodiscard]] std::string request_json(const AttemptRequest& request);

}  // namespace penstock
