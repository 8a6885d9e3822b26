// The record of a job that was admitted, read again from its row. Pure.
#pragma once

#include "state/rows/job_row.h"
#include "topics/record/job_decoder.h"

namespace penstock {

// Views into the row and the decoder, as JobDecoder::decode gives them. Aborts where the record
// does not decode: nothing else is admitted.
[[nodiscard]] JobRecord decode_admitted(JobDecoder& decoder, const JobRow& row);

}  // namespace penstock
