// Reads one line of job input (a file of `enqueue --from` or a body of the HTTP gateway): a job
// record with the additional member `account`, which is removed and becomes the record's key.
//
// A reader reuses its buffers and belongs to one thread; its result is valid until the next read.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "penstock/producer.h"
#include "topics/json/json_document.h"

namespace penstock {

struct JobLine {
  std::string_view account;
  std::string_view value;  // the job record
};

class JsonLineReader {
 public:
  [[nodiscard]] tl::expected<JobLine, Failure> read(std::string_view line);

 private:
  JsonDocument document_;
  std::string account_;
  std::string value_;
};

}  // namespace penstock
