// Which records of its source a replay copies. The owners of the partitions and a dry run ask the
// same filter, so a dry run counts what the replay does. Of one record, pure but for its buffers.
//
// Belongs to one thread; what a verdict shows is valid until the next call, and as long as the
// record.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <optional>
#include <string>
#include <string_view>

#include "consumer/replay/replay_record.h"
#include "topics/json/json_tree.h"
#include "topics/log.h"
#include "topics/record/job_decoder.h"
#include "topics/values/text_hash.h"

namespace penstock {

class ReplayFilter {
 public:
  // `source` is the name of the topic that is read.
  ReplayFilter(const ReplayTerms& terms, std::string source);

  struct Verdict {
    bool matches = false;
    std::optional<LeftOut> left_out = {};  // if it does not match, and is counted
    // A bad record that a program may make a job of. The copy has its headers, and its key unless
    // the program says otherwise, so a record is beyond repair whose headers are too large, whose
    // dead record has only a part of them, or that has no key or no value.
    bool is_repairable = false;
    JobRecord job = {};       // of a match
    std::string of = {};      // of a match: the id of the first original
    std::string source = {};  // of a match or a bad record: where it was first stored
  };
  // A record of this partition of the source.
  [[nodiscard]] Verdict judge(const LogRecord& record, PartitionId partition);
  // The same of a record that a program has made of one with this place and id.
  [[nodiscard]] std::optional<JobRecord> decode(std::string_view account, std::string_view value);

 private:
  [[nodiscard]] bool has_key(const LogRecord& record) const;
  [[nodiscard]] bool is_in_time(const LogRecord& record) const;
  [[nodiscard]] bool may_be_of_types(std::string_view value) const;
  [[nodiscard]] bool selects(const JobRecord& job, std::string_view id);
  [[nodiscard]] bool has_arguments(const JobRecord& job);

  using Texts = absl::flat_hash_set<std::string, TextHash, TextEqual>;
  const ReplayTerms terms_;
  const std::string source_;
  Texts ids_, types_, accounts_, reasons_;
  JobDecoder decoder_;
  JsonTree args_;
};

}  // namespace penstock
