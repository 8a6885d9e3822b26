// What the copy of a record is to be, by docs/replay.md: the record's job, but for its id, its bulk
// and its expiry. Values; pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "consumer/job/handler.h"
#include "state/rows/job_row.h"
#include "topics/log.h"
#include "topics/record/job_record.h"

namespace penstock::simulation {

struct CopyContent {
  std::string type;
  nlohmann::json args, meta;  // null: it has none
  int priority = 0, weight = 1;
  std::optional<Time> run_at, expires_at;
  std::optional<std::string> unique_key;
  std::vector<Header> headers;
  std::string line;  // that its program has to be asked for it; empty: none has
};

// Of a record, or of what a program has made of it.
[[nodiscard]] CopyContent content_of(const LogRecord& record, const JobRecord& job,
                                     bool keep_expiry);
// The record's own headers are the same but for their order.
[[nodiscard]] std::vector<Header> own_headers(std::vector<Header> headers);

// What is different; empty: nothing. `made_by`: the copy was made by then.
[[nodiscard]] std::string difference(const CopyContent& content, std::string_view id,
                                     std::string_view value, Time made_by);
[[nodiscard]] std::string difference(const CopyContent& content, const JobRow& row, Time made_by);
[[nodiscard]] std::string difference(const CopyContent& content, const AttemptRequest& request);

}  // namespace penstock::simulation
