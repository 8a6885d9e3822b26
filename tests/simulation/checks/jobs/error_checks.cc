#include "tests/simulation/checks/jobs/error_checks.h"

#include <algorithm>
#include <vector>

namespace penstock::simulation {
namespace {

std::vector<ErrorPattern> patterns(std::initializer_list<const char*> texts) {
  std::vector<ErrorPattern> all;
  for (const char* const text : texts) all.push_back(parse_error_pattern(text).value());
  return all;
}

// That of a time-out is in no pattern.
bool ends_it(const ErrorType& type, std::string_view error_class) {
  if (error_class == kTimeoutError) error_class = {};
  const auto found = std::find_if(type.errors.begin(), type.errors.end(),
                                  [&](const auto& error) { return error.first == error_class; });
  return found != type.errors.end() && found->second;
}

std::string name_of(const AttemptRequest& request) { return request.account + "/" + request.id; }

}  // namespace

const ErrorType* error_type(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kErrorTypes), std::end(kErrorTypes),
                   [name](const ErrorType& type) { return type.name == name; });
  return found == std::end(kErrorTypes) ? nullptr : found;
}

void add_error_types(TypeTable& types, const TypePolicy& base) {
  TypePolicy choosy = base, touchy = base, fussy = base;
  choosy.retry.retry_on = patterns({"503", "busy"});
  touchy.retry.discard_on = patterns({"4xx", "gone"});
  fussy.retry.retry_on = patterns({"4xx"});
  fussy.retry.discard_on = patterns({"404"});
  types.add("choosy", std::move(choosy));
  types.add("touchy", std::move(touchy));
  types.add("fussy", std::move(fussy));
}

void ErrorChecks::started(const AttemptRequest& request, bool known) {
  if (!known || !error_type(request.type)) return;
  const auto found =
      discarded_.find({identity_digest(request.account, request.id), request.key.token.epoch});
  rules_.check(Rule::kDiscards, found == discarded_.end(), [&] {
    return name_of(request) + " starts again after it has failed with \"" + found->second +
           "\", which ends a \"" + request.type + "\"";
  });
}

bool ErrorChecks::outcome(const AttemptRequest& request, const OutcomeValue& outcome,
                          int attempts) {
  const ErrorType* const type = error_type(request.type);
  if (!type) return false;
  const Digest job = identity_digest(request.account, request.id);
  const auto* const failed = std::get_if<RetryLater>(&outcome);
  const bool ends = failed && ends_it(*type, failed->error_class);
  if (ends) discarded_[{job, request.key.token.epoch}] = failed->error_class;
  if (ends || std::holds_alternative<Discard>(outcome)) may_be_discarded_[job] = true;
  if (failed && !ends && request.attempt >= attempts) may_be_exhausted_[job] = true;
  return ends;
}

void ErrorChecks::buried(const Job& job, std::string_view reason) {
  if (!error_type(job.type)) return;
  if (reason == "discarded") {
    rules_.check(Rule::kRetries, may_be_discarded_[job.digest], [&] {
      return job.account + "/" + job.id + " is discarded, but every failure of it is to be retried";
    });
  }
  if (reason == "attempts_exhausted") {
    rules_.check(Rule::kRetries, may_be_exhausted_[job.digest], [&] {
      return job.account + "/" + job.id + " has attempts left, but is buried as exhausted";
    });
  }
}

}  // namespace penstock::simulation
