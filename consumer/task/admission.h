// Takes a record of the input: makes it a job and sends the job to where it waits, or handles it as
// a command, a message from another partition, or a record that is not a job. Used by the
// partition's one thread.
#pragma once

#include <string>
#include <string_view>

#include "consumer/task/commands.h"
#include "consumer/task/copies.h"
#include "consumer/task/core/core.h"
#include "consumer/task/folding.h"
#include "consumer/task/outcome/placement.h"
#include "consumer/task/slot_exchange.h"
#include "state/log/arrivals.h"
#include "topics/log.h"
#include "topics/record/job_decoder.h"
#include "topics/record/job_record.h"

namespace penstock {

class Admission {
 public:
  struct Parts {
    Folding& folding;
    Placement& placement;
    Commands& commands;
    SlotExchange& slots;
    Copies& copies;
  };

  Admission(Core& core, const Parts& parts)
      : core_(core),
        parts_(parts),
        arrivals_(core.view,
                  core.outgoing.names().topic() + "/" + std::to_string(core.options.partition)) {}

  void admit(const LogRecord& record);
  // Tells which of the records are messages from other partitions.
  [[nodiscard]] Arrivals& arrivals() { return arrivals_; }

  // The types of jobs that were of an unknown type may be known by now.
  void restored() { unparking_ = true; }
  [[nodiscard]] bool is_unparking() const { return unparking_; }
  // Sends jobs of an unknown type that is known by now to where they wait: a bounded number per
  // call, because a commit has to take whatever it brings into the lines.
  void unpark();

 private:
  struct Incoming;  // a record and what its transport headers said

  [[nodiscard]] bool read_headers(const LogRecord& record, Incoming& incoming);
  void reject(const LogRecord& record, const Incoming& incoming, const BadRecord& bad);
  void admit_job(const LogRecord& record, const Incoming& incoming, const JobRecord& job);
  [[nodiscard]] LiveJob* fill(const LogRecord& record, const JobRecord& job, std::string_view id);
  [[nodiscard]] std::string origin_of(const LogRecord& record, const Incoming& incoming) const;

  Core& core_;
  const Parts parts_;
  Arrivals arrivals_;
  JobDecoder decoder_;
  bool unparking_ = false;
};

}  // namespace penstock
