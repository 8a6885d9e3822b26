// A line of job input (files of `enqueue --from`, bodies of the HTTP gateway): a job record with
// one member more, `account`, which is taken out and becomes the record's key.
//
// A reader keeps its buffers for the next line and belongs to one thread; what it shows is valid
// until its next read.
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
