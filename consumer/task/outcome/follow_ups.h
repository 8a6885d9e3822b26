// The jobs that a handler asks for with an outcome or a checkpoint: part of the same commit, all of
// them or none. Used by the partition's one thread.
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

  // Produces them. What is wrong with one of them, if anything: then none is.
  [[nodiscard]] std::optional<std::string> produce(LiveJob* job, std::span<const FollowUp> jobs);

 private:
  Core& core_;
  JobDecoder decoder_;
};

}  // namespace penstock
