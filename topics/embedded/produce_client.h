// ProduceClient on a log's sessions: what a Producer stands on where there is no Kafka.
//
// produce() copies a record into a list; poll(), on the thread that owns the session, appends the
// list and hands on what came of it. It holds no bound of its own: the caller counts what it has
// handed in and not seen delivered. What the session has no room for waits for the next poll.
#pragma once

#include <memory>

#include "topics/log.h"
#include "topics/produce_client.h"
#include "topics/values/result.h"

namespace penstock {

// `log` must outlive the client.
[[nodiscard]] Result<std::unique_ptr<ProduceClient>> open_embedded_produce_client(Log& log);

}  // namespace penstock
