#include "consumer/job/admitted_record.h"

#include <utility>

#include "topics/values/check.h"

namespace penstock {

JobRecord decode_admitted(JobDecoder& decoder, const JobRow& row) {
  auto record = decoder.decode(row.account, row.value, kMaxDerivedIdBytes);
  PENSTOCK_CHECK(record.has_value(), "an admitted record decodes again");
  return *std::move(record);
}

}  // namespace penstock
