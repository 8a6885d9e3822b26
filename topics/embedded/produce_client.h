// A ProduceClient on the sessions of a log: what a Producer uses when there is no Kafka.
//
// produce() copies a record into a list; poll(), on the thread that owns the session, appends the
// list and reports the results. The client itself sets no bound: its caller counts the records that
// are not delivered yet. Records for which the session has no room wait for the next poll. Threads:
// as ProduceClient documents.
#pragma once

#include <memory>

#include "topics/log.h"
#include "topics/produce_client.h"
#include "topics/values/result.h"

namespace penstock {

// `log` must outlive the client.
[[nodiscard]] Result<std::unique_ptr<ProduceClient>> open_embedded_produce_client(Log& log);

}  // namespace penstock
