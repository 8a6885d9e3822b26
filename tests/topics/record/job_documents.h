// Good and hostile job records with the verdict that docs/job-record.md demands: what the decoders
// are tested on, and where the property test and the fuzzer start from.
#pragma once

#include <string>
#include <vector>

namespace penstock {

struct JobDocument {
  std::string name;  // what it is an example of
  std::string text;
  std::string verdict;  // "good", or the reason's name
  std::string member;   // of a bad_field: the JSON pointer
};

[[nodiscard]] std::vector<JobDocument> job_documents();

}  // namespace penstock
