// How simulated brokers handle requests that have reached them. Each answer travels over the
// request's link, and arrives only if the session still exists. Belongs to the simulator's thread.
#pragma once

#include <cstdint>

#include "topics/log.h"
#include "topics/simulated/link.h"
#include "topics/simulated/partition.h"

namespace penstock::simulated {

// Identifies a stream of a session's appends: from one lane's producer (a renewed one counts as
// another) to one partition.
struct StreamKey {
  Lane lane;
  std::uint64_t generation;
  std::size_t stream;
};

struct ProduceRequest {
  Partition* to;
  const Batch* records;
  std::uint64_t producer;
  std::int64_t sequence;
  StreamKey key;
  std::uint64_t batch;
};

struct FetchRequest {
  Partition* from;
  std::uint64_t read;  // identifies one read() of the session
  Offset position;
};

struct DeleteRequest {
  Partition* of;
  Offset before;
  std::uint64_t request;
};

void handle(const Link& link, const ProduceRequest& request);
void handle(const Link& link, const FetchRequest& request);
void handle(const Link& link, const DeleteRequest& request);
void answer_bounds(const Link& link, Partition* asked, std::uint64_t request);

}  // namespace penstock::simulated
