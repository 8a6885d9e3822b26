// The requests of a session to the brokers, and the interfaces for their answers. An answer arrives
// only if the session still exists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "topics/log.h"
#include "topics/simulated/brokers/partition.h"
#include "topics/simulated/network/link.h"

namespace penstock::simulated {

// Identifies a stream of a lane's appends: from its producer (a renewed one counts as another) to
// one partition.
struct StreamKey {
  std::uint64_t generation;
  std::size_t stream;
};

class ProduceAnswers {
 public:
  virtual ~ProduceAnswers() = default;
  virtual void acknowledged(const StreamKey& key, std::uint64_t batch, std::uint64_t producer,
                            std::optional<Offset> first) = 0;
  // The broker is missing earlier requests: this one is sent again soon.
  virtual void refused(const StreamKey& key, std::uint64_t batch, std::uint64_t producer) = 0;
  // The connection for a stream's answers; null if the stream no longer exists.
  [[nodiscard]] virtual Line* answers(const StreamKey& key) = 0;
};

struct ProduceRequest {
  Partition* to;
  const Batch* records;
  std::uint64_t producer;
  std::int64_t sequence;
  StreamKey key;
  std::uint64_t batch;
  ProduceAnswers* from;
};

class FetchAnswers {
 public:
  virtual ~FetchAnswers() = default;
  virtual void fetched(std::uint64_t read, Offset first, std::uint64_t count) = 0;
  virtual void out_of_range(std::uint64_t read, Offset position) = 0;
};

struct FetchRequest {
  Partition* of;
  std::uint64_t read;  // identifies one read() of the session
  Offset position;
  FetchAnswers* from;
};

class AdminAnswers {
 public:
  virtual ~AdminAnswers() = default;
  // Whether the request has not been answered.
  [[nodiscard]] virtual bool awaits(std::uint64_t request) const = 0;
  virtual void bounds_known(std::uint64_t request, const Result<Bounds>& bounds) = 0;
  virtual void deleted(std::uint64_t request, const Status& status) = 0;
};

struct BoundsRequest {
  Partition* of;
  std::uint64_t request;
  AdminAnswers* from;
};

struct DeleteRequest {
  Partition* of;
  Offset before;
  std::uint64_t request;
  AdminAnswers* from;
};

}  // namespace penstock::simulated
