// Finds a partition's first record that is not before a time. May be called from any thread.
#pragma once

#include "topics/embedded/disk/partition.h"
#include "topics/embedded/disk/store.h"
#include "topics/log.h"
#include "topics/values/result.h"

namespace penstock::embedded {

// Within `bounds`; their end, if there is none. The records of a chunk share its timestamp, and
// timestamps never go back within a partition, so this reads about log2(records) chunks.
[[nodiscard]] Result<Offset> first_not_before(const Store& store, const Partition& partition,
                                              const Bounds& bounds, Time at);

}  // namespace penstock::embedded
