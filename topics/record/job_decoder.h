// Reads job records and commands by the rules of SPEC section 4.
//
//   JobDecoder decoder;
//   auto record = decoder.decode(key, value);  // JobRecord, or the BadRecord for the dead topic
//
// A JobRecord is made of views into the record's bytes and into the decoder's buffers: it is valid
// until the decoder's next call and for as long as the bytes live. A decoder belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>

#include "topics/record/bad_record.h"
#include "topics/record/job_record.h"

namespace penstock {

class JobDecoder {
 public:
  // `max_id_bytes` is kMaxDerivedIdBytes for records that Penstock itself produced (follow-ups,
  // replays, forwarded records), kMaxIdBytes otherwise.
  JobDecoder();
  ~JobDecoder();
  JobDecoder(JobDecoder&&) noexcept;
  JobDecoder& operator=(JobDecoder&&) noexcept;

  // `key` and `value` are absent for a record without key, or a tombstone.
  [[nodiscard]] tl::expected<JobRecord, BadRecord> decode(std::optional<std::string_view> key,
                                                          std::optional<std::string_view> value,
                                                          std::size_t max_id_bytes = kMaxIdBytes);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace penstock
