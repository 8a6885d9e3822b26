// Whether JobDecoder and ReferenceDecoder say the same of a record.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/topics/record/reference_decoder.h"
#include "topics/record/job_decoder.h"

namespace penstock {

class DecoderPair {
 public:
  // Nothing when they agree (on the reason, on the member of a bad_field, and on every value of a
  // good record), or what differs.
  [[nodiscard]] std::optional<std::string> disagreement(std::optional<std::string_view> key,
                                                        std::optional<std::string_view> value);

  // What JobDecoder alone says: "good" or the reason's name, and the member.
  struct Verdict {
    std::string verdict;
    std::string member;
  };
  [[nodiscard]] Verdict verdict(std::string_view key, std::string_view value);

 private:
  JobDecoder strict_;
  ReferenceDecoder reference_;
};

}  // namespace penstock
