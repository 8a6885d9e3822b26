#include "api/request/job_filter.h"

#include <utility>

#include "api/source/job_json.h"
#include "topics/values/rfc3339.h"
#include "topics/values/whole_number.h"

namespace penstock {
namespace {

std::optional<Time> time_of(const std::string& text) {
  if (const auto ms = whole_number<std::int64_t>(text)) return time_from_ms(*ms);
  return parse_rfc3339(text);
}

Problem bad_filter(std::string detail, std::string member) {
  return {.status = 400,
          .detail = std::move(detail),
          .member = std::move(member),
          .kind = "bad-parameter"};
}

}  // namespace

const std::vector<std::string>& job_filters() {
  static const std::vector<std::string> kNames{"state", "type", "account", "bulk",
                                               "error", "id",   "from",    "to"};
  return kNames;
}

std::optional<Problem> set_filter(JobQuery& query, std::string_view name, const std::string& value,
                                  std::string member) {
  const std::map<std::string_view, std::string*> texts{{"type", &query.type},
                                                       {"account", &query.account},
                                                       {"bulk", &query.bulk},
                                                       {"error", &query.error},
                                                       {"id", &query.id}};
  if (const auto text = texts.find(name); text != texts.end()) {
    *text->second = value;
    return std::nullopt;
  }
  if (value.empty()) return std::nullopt;
  if (name == "state") {
    query.state = job_state_of(value);
    if (query.state) return std::nullopt;
    return bad_filter("found state \"" + value + "\", expected one of " + std::string(kJobStates),
                      std::move(member));
  }
  const auto time = time_of(value);
  if (!time)
    return bad_filter("found " + std::string(name) + " \"" + value +
                          "\", expected a time such as 2031-01-01T09:00:00Z, or milliseconds "
                          "since 1970",
                      std::move(member));
  (name == "from" ? query.from : query.to) = *time;
  return std::nullopt;
}

}  // namespace penstock
