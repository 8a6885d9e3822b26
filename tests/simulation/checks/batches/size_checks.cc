#include "tests/simulation/checks/batches/size_checks.h"

#include <algorithm>
#include <cmath>

#include "tests/simulation/checks/batches/batch_checks.h"

namespace penstock::simulation {
namespace {

constexpr Instant kSlower{std::chrono::seconds(25)};

// How many items fit, if one takes so many ms.
double fitting(double ms, std::size_t most_measured) {
  return std::clamp(std::min(static_cast<double>(kSizedTarget.count()) / ms,
                             2.0 * static_cast<double>(most_measured)),
                    1.0, static_cast<double>(kSizedMost));
}

}  // namespace

Duration item_time(Instant at) {
  if (at >= kFaultsEnd) return Duration(180);
  return at >= kSlower ? Duration(400) : Duration(60);
}

void SizeChecks::started(const AttemptRequest& request, const Reference& reference) {
  if (request.items.empty()) return;
  const auto most = static_cast<std::size_t>(batch_of(request.type).max);
  rules_.check(Rule::kBatchMost, request.items.size() <= most, [&] {
    return request.account + " is handed " + std::to_string(request.items.size()) + " jobs of \"" +
           request.type + "\" at once, at most " + std::to_string(most) + " are allowed";
  });
  if (request.type == kSizedType) check_target(request, reference);
}

// Jobs that have started before are handed over again as they were.
void SizeChecks::check_target(const AttemptRequest& request, const Reference& reference) {
  for (const AttemptItem& item : request.items) {
    const Job* const job = model_.find(request.account, item.id);
    if (!job || job->starts > 0) return;
  }
  const Measured& seen = measured_[{request.key.partition, request.key.token.epoch}];
  const std::size_t size = request.items.size();
  const auto says = [&] {
    return request.account + " is handed " + std::to_string(size) + " items; at most " +
           std::to_string(seen.most) + " were measured";
  };
  if (seen.last.empty()) {
    rules_.check(Rule::kBatchTarget, size == 1, says);
    return;
  }
  const auto [quickest, slowest] = std::minmax_element(seen.last.begin(), seen.last.end());
  const double at_most = fitting(*quickest * (1 - kOlderShare), seen.most);
  rules_.check(Rule::kBatchTarget, static_cast<double>(size) <= at_most, [&] {
    return says() + ", and the quickest of the last ones took " + std::to_string(*quickest) +
           " ms an item";
  });
  if (request.account != kSizedAccount || seen.beside_copies) return;
  const double at_least = std::floor(fitting(*slowest + kOlderShare * seen.slowest, seen.most));
  const std::size_t left = left_of_story(reference);
  rules_.check(Rule::kBatchTarget, size >= std::min(left, static_cast<std::size_t>(at_least)), [&] {
    return says() + ", the slowest of the last ones took " + std::to_string(*slowest) +
           " ms an item, and " + std::to_string(left) + " wait";
  });
}

// Those that its owner has read.
std::size_t SizeChecks::left_of_story(const Reference& reference) const {
  const std::vector<Job*>& line = model_.line(std::string(kSizedAccount));
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [&](const Job* job) {
    return job->starts == 0 && job->offset.value < reference.input_next();
  }));
}

void SizeChecks::measured(const AttemptRequest& request, std::chrono::nanoseconds took) {
  if (request.type != kSizedType) return;
  Measured& seen = measured_[{request.key.partition, request.key.token.epoch}];
  const double ms = std::chrono::duration<double, std::milli>(took).count() /
                    static_cast<double>(request.items.size());
  seen.last.push_back(ms);
  if (seen.last.size() > kLast) seen.last.pop_front();
  seen.slowest = std::max(seen.slowest, ms);
  seen.most = std::max(seen.most, request.items.size());
}

}  // namespace penstock::simulation
