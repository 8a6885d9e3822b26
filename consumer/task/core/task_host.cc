#include "consumer/task/core/task_host.h"

#include "consumer/job/admitted_record.h"
#include "topics/record/job_decoder.h"

namespace penstock {
namespace {

std::string args_of(const JobRow& row) {
  thread_local JobDecoder decoder;
  return std::string(decode_admitted(decoder, row).args);
}

}  // namespace

std::string AttemptStart::args() const { return args_of(job.row); }

std::vector<AttemptItem> AttemptStart::items() const {
  std::vector<AttemptItem> items;
  if (!job.batch) return items;
  items.reserve(job.batch->items.size());
  for (const JobBatch::Item& item : job.batch->items) {
    const JobRow& row = item.job->row;
    items.push_back({row.id, args_of(row), row.attempt, row.headers, row.replay});
  }
  return items;
}

}  // namespace penstock
