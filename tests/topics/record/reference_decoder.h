// The rules of docs/job-record.md a second time, on nlohmann::json and with other means than
// JobDecoder: slow, plain, and what JobDecoder must agree with. The faults of one record are looked
// for in the same order: the key, the size, the JSON, then members that no record has, then each
// member as docs/job-record.md lists them.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "topics/record/bad_record.h"
#include "topics/record/job_record.h"

namespace penstock {

class ReferenceDecoder {
 public:
  // As JobDecoder::decode. `args` and `meta` are written anew: the same values, not the same bytes.
  [[nodiscard]] tl::expected<JobRecord, BadRecord> decode(std::optional<std::string_view> key,
                                                          std::optional<std::string_view> value,
                                                          std::size_t max_id_bytes = kMaxIdBytes);

 private:
  using Json = nlohmann::ordered_json;

  JobRecord read_record(const Json& record, const std::string& where, std::size_t max_id_bytes);
  void read_job(const Json& record, const std::string& where, std::size_t max_id_bytes,
                JobRecord& job);
  void read_command(const Json& record, const std::string& where, JobRecord& command);
  BulkRef read_bulk(const Json& bulk, const std::string& where);
  std::string_view keep(std::string text);

  std::deque<std::string> kept_;
};

}  // namespace penstock
