// What a session asks of the brokers, and what it is told in return. An answer is given only while
// the session lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "topics/log.h"
#include "topics/simulated/brokers/partition.h"
#include "topics/simulated/network/link.h"

namespace penstock::simulated {

// Names a stream of a lane's appends: its producer (renewed ones differ) to one partition.
struct StreamKey {
  std::uint64_t generation;
  std::size_t stream;
};

class ProduceAnswers {
 public:
  virtual ~ProduceAnswers() = default;
  virtual void acknowledged(const StreamKey& key, std::uint64_t batch, std::uint64_t producer,
                            std::optional<Offset> first) = 0;
  // The broker lacks earlier ones: to be sent again soon.
  virtual void refused(const StreamKey& key, std::uint64_t batch, std::uint64_t producer) = 0;
  // Where answers of a stream line up; nullptr when it is gone.
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
  std::uint64_t read;  // names one read() of the session
  Offset position;
  FetchAnswers* from;
};

class AdminAnswers {
 public:
  virtual ~AdminAnswers() = default;
  // Whether the request is still to be answered.
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
