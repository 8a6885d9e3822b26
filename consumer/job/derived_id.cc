#include "consumer/job/derived_id.h"

#include "state/rows/digest.h"
#include "topics/record/job_record.h"
#include "topics/values/check.h"

namespace penstock {

std::string derived_id(std::string_view id, std::string_view ending) {
  PENSTOCK_CHECK(ending.size() < kMaxDerivedIdBytes, "an ending is short");
  return shortened(std::string(id), kMaxDerivedIdBytes - ending.size(), '~').append(ending);
}

}  // namespace penstock
