#include "consumer/store/job_seqs.h"

#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"

namespace penstock {

void JobSeqs::restored() {
  std::string bytes;
  if (view_.get(keys::kMetaJobSeq, &bytes)) last_ = saved_ = JobSeq{Cursor(bytes).i64()};
}

JobSeq JobSeqs::take() {
  last_ = last_.next();
  return last_;
}

void JobSeqs::save() {
  if (last_ == saved_) return;
  std::string bytes;
  put_i64(bytes, last_.value);
  view_.put(keys::kMetaJobSeq, bytes);
  saved_ = last_;
}

}  // namespace penstock
