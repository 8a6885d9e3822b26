// What the checker holds `retry_on` and `discard_on` against: a table of its own of which failure
// ends a job of which type, and what the handlers have said of each job. One thread.
//
// What always holds: after a failure that ends the job its owner starts it no more (a commit that
// is lost with its owner has not happened, so the next one may); and none is buried for a failure
// that was to be retried.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "consumer/job/handler.h"
#include "consumer/policy/type_table.h"
#include "tests/simulation/input_model.h"
#include "tests/simulation/rules.h"

namespace penstock::simulation {

// A type, and what its handlers may fail with.
struct ErrorType {
  std::string_view name;
  std::array<std::pair<std::string_view, bool>, 5> errors;  // a class, and whether it ends the job
};
inline constexpr ErrorType kErrorTypes[] = {
    // retry_on 503, busy
    {"choosy", {{{"", true}, {"503", false}, {"busy", false}, {"500", true}, {"gone", true}}}},
    // discard_on 4xx, gone
    {"touchy", {{{"", false}, {"404", true}, {"429", true}, {"gone", true}, {"503", false}}}},
    // retry_on 4xx, discard_on 404
    {"fussy", {{{"", true}, {"404", true}, {"429", false}, {"503", true}, {"busy", true}}}},
};
[[nodiscard]] const ErrorType* error_type(std::string_view name);
void add_error_types(TypeTable& types, const TypePolicy& base);

class ErrorChecks {
 public:
  explicit ErrorChecks(Rules& rules) : rules_(rules) {}

  // `known`: all that is asked of the job is known, so that an end of its series is one.
  void started(const AttemptRequest& request, bool known);
  // Whether this outcome ends the job as discarded.
  bool outcome(const AttemptRequest& request, const OutcomeValue& outcome, int attempts);
  // In the honoured history.
  void buried(const Job& job, std::string_view reason);

 private:
  using Owner = std::tuple<Digest, std::int64_t>;  // the job and the epoch of who ran it

  Rules& rules_;
  std::map<Owner, std::string> discarded_;  // with what
  std::map<Digest, bool> may_be_discarded_, may_be_exhausted_;
};

}  // namespace penstock::simulation
