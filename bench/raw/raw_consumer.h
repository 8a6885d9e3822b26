// The raw figure for consuming: librdkafka alone reads every partition of a topic in batches, on
// one thread, and touches each record's offset and size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "topics/values/result.h"

namespace penstock {

// Measured from the first record to the last, without the batch that begins the measurement.
struct RawRead {
  std::size_t records = 0;
  std::uint64_t bytes = 0;  // of values
  double seconds = 0;
  std::uint64_t total_bytes = 0;  // including what is not counted

  [[nodiscard]] double records_per_second() const { return static_cast<double>(records) / seconds; }
  [[nodiscard]] double bytes_per_second() const { return static_cast<double>(bytes) / seconds; }
};

// Reads the present contents of the topic.
[[nodiscard]] Result<RawRead> read_raw(const std::map<std::string, std::string>& properties,
                                       const std::string& topic, int partitions);

}  // namespace penstock
