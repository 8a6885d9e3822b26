#include "consumer/config/config_retry.h"

#include <array>
#include <cmath>
#include <string>

#include "consumer/policy/duration.h"

namespace penstock {
namespace {

constexpr ChoiceTable<Backoff, 3> kBackoffs{{{"exponential", Backoff::kExponential},
                                             {"fixed", Backoff::kFixed},
                                             {"polynomial", Backoff::kPolynomial}}};

constexpr double kMaxFactor = 1'000;
constexpr int kMaxBreakerFailures = 1'000'000;

void check_factor(const ConfigValue& value, double factor) {
  const double steps = factor * 1'000;
  // Waits are computed in whole thousandths, and the same on every machine.
  if (std::abs(steps - std::round(steps)) > 1e-6) {
    value.refuse("a number from 1 to 1000 with at most three decimals");
  }
}

// Refuses a key that has no meaning with the chosen backoff.
void check_fitting(const ConfigObject& object, std::string_view name, bool fits,
                   std::string_view only) {
  const ConfigValue* value = object.find(name);
  if (value == nullptr || fits) return;
  value->refuse_plainly("found it with another backoff, expected it only with " +
                        std::string(only));
}

void check_longest_wait(const ConfigObject& object, RetryPolicy& retry) {
  if (retry.max >= retry.base) return;
  if (const ConfigValue* max = object.find("max")) {
    return max->refuse("at least the base, " + duration_text(retry.base));
  }
  if (retry.backoff == Backoff::kFixed) {
    // A fixed wait does not grow, so the default maximum has no meaning.
    retry.max = retry.base;
  } else {
    object.find("base")->refuse("at most " + duration_text(retry.max) +
                                ", the default of \"max\", or a greater \"max\" as well");
  }
}

void read_formula(const ConfigObject& object, RetryPolicy& retry) {
  object.read_choice("backoff", retry.backoff, kBackoffs);
  object.read("base", retry.base, Zero::kAllowed);
  object.read("factor", retry.factor, Range<double>{1, kMaxFactor});
  object.read("degree", retry.degree, Range<int>{1, kMaxDegree});
  object.read("max", retry.max, Zero::kAllowed);
  if (const ConfigValue* factor = object.find("factor")) check_factor(*factor, retry.factor);
  check_fitting(object, "factor", retry.backoff == Backoff::kExponential,
                "\"backoff\": \"exponential\"");
  check_fitting(object, "degree", retry.backoff == Backoff::kPolynomial,
                "\"backoff\": \"polynomial\"");
  check_longest_wait(object, retry);
}

void read_delays(const ConfigObject& object, const ConfigValue& value, RetryPolicy& retry) {
  for (const auto* other : {"backoff", "base", "factor", "degree", "max"}) {
    if (const ConfigValue* found = object.find(other)) {
      found->refuse_plainly("found it together with \"delays\", expected only one of them");
    }
  }
  retry.backoff = Backoff::kDelays;
  for (const ConfigValue& element : value.array("durations", {1, kMaxDelays})) {
    element.read(retry.delays.emplace_back(), Zero::kAllowed);
  }
}

std::vector<ErrorPattern> read_patterns(const ConfigValue& value) {
  std::vector<ErrorPattern> patterns;
  for (const ConfigValue& element :
       value.array("statuses and error names", {1, kMaxErrorPatterns})) {
    std::string text;
    element.read_name_or_number(text);
    auto pattern = parse_error_pattern(text);
    if (!pattern) {
      element.refuse_plainly(pattern.error().message);
    } else {
      patterns.push_back(*std::move(pattern));
    }
  }
  return patterns;
}

BreakerPolicy read_breaker(const ConfigValue& value) {
  BreakerPolicy breaker;
  const ConfigObject object = value.object({.known = {"failures", "probe"}});
  object.read("failures", breaker.failures, Range<int>{1, kMaxBreakerFailures});
  object.read("probe", breaker.probe, Zero::kRefused);
  return breaker;
}

}  // namespace

RetryPolicy read_retry(const ConfigValue& value) {
  RetryPolicy retry;
  const ConfigObject object =
      value.object({.known = {"attempts", "backoff", "base", "factor", "degree", "max", "jitter",
                              "delays", "retry_on", "discard_on", "breaker"}});
  object.read("attempts", retry.attempts, Range<int>{1, kMaxAttempts});
  object.read("jitter", retry.jitter, Range<double>{0, 1});
  if (const ConfigValue* delays = object.find("delays")) {
    read_delays(object, *delays, retry);
  } else {
    read_formula(object, retry);
  }
  if (const ConfigValue* on = object.find("retry_on")) retry.retry_on = read_patterns(*on);
  if (const ConfigValue* on = object.find("discard_on")) retry.discard_on = read_patterns(*on);
  if (const ConfigValue* breaker = object.find("breaker")) retry.breaker = read_breaker(*breaker);
  return retry;
}

}  // namespace penstock
