// The follow-up jobs that a handler enqueues with an outcome or a checkpoint: part of the same
// commit, all of them or none. Used by the partition's one thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "consumer/task/core/core.h"
#include "topics/record/job_decoder.h"
#include "topics/record/job_record.h"

namespace penstock {

class FollowUps {
 public:
  explicit FollowUps(Core& core) : core_(core) {}

  // Produces them. If one of them is refused, none is produced, and the reason is returned.
  [[nodiscard]] std::optional<std::string> produce(LiveJob* job, std::span<const FollowUp> jobs);

 private:
  Core& core_;
  JobDecoder decoder_;
};

}  // namespace penstock
