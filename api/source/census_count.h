// Counts jobs for a census (api/source/source.h), in bounded memory. Used by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "api/source/source.h"

namespace penstock {

class CensusCount {
 public:
  explicit CensusCount(JobCensus& census) : census_(census) {}

  // The jobs of one account's lines come in a row.
  void add(const ShownJob& job);
  // To be called once, after all jobs.
  void finish();

 private:
  void add_failure(const ShownJob& job);
  void add_to_account(const ShownJob& job);
  void close_account();
  void cut_accounts();

  JobCensus& census_;
  std::map<std::tuple<std::string, std::string, bool>, JobCensus::Group> groups_;
  std::optional<JobCensus::Account> open_;
};

// The beginning of an error's text that jobs which failed alike have in common: it ends before the
// first long number or quotation, which usually name what was worked on. Never empty unless the
// text is.
[[nodiscard]] std::string_view error_name(std::string_view reason);

}  // namespace penstock
