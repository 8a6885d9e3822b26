// The raw figure that consuming is measured against: librdkafka alone, every partition of a topic
// in batches, on one thread, each record's offset and size touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "topics/values/result.h"

namespace penstock {

// From the first record to the last; the batch that begins the measuring is not counted.
struct RawRead {
  std::size_t records = 0;
  std::uint64_t bytes = 0;  // of values
  double seconds = 0;
  std::uint64_t total_bytes = 0;  // with what is not counted

  [[nodiscard]] double records_a_second() const { return static_cast<double>(records) / seconds; }
  [[nodiscard]] double bytes_a_second() const { return static_cast<double>(bytes) / seconds; }
};

// Reads what is in the topic now.
[[nodiscard]] Result<RawRead> read_raw(const std::map<std::string, std::string>& properties,
                                       const std::string& topic, int partitions);

}  // namespace penstock
