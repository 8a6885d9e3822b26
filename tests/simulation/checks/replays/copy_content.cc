#include "tests/simulation/checks/replays/copy_content.h"

#include <algorithm>

namespace penstock::simulation {
namespace {

constexpr Duration kClocksApart{4000};  // hosts' clocks drift by 1 % over a run

bool are_same(const std::vector<Header>& a, const std::vector<Header>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Header& x, const Header& y) {
    return x.name == y.name && x.value == y.value;
  });
}

bool has_args(const CopyContent& content, std::string_view args) {
  return nlohmann::json::parse(args, nullptr, false) == content.args;
}

}  // namespace

std::vector<Header> own_headers(std::vector<Header> headers) {
  std::erase_if(headers, [](const Header& one) { return one.name.starts_with("penstock-"); });
  std::stable_sort(headers.begin(), headers.end(),
                   [](const Header& a, const Header& b) { return a.name < b.name; });
  return headers;
}

CopyContent content_of(const LogRecord& record, const JobRecord& job, bool keep_expiry) {
  CopyContent content;
  content.type = job.type;
  content.args = nlohmann::json::parse(job.args);
  if (!job.meta.empty()) content.meta = nlohmann::json::parse(job.meta);
  content.priority = job.priority;
  content.weight = job.weight;
  content.run_at = job.run_at;
  if (keep_expiry) content.expires_at = job.expires_at;
  if (job.unique_key) content.unique_key = std::string(*job.unique_key);
  std::vector<Header> headers;
  for (const HeaderView& header : record.headers) headers.push_back(copy_of(header));
  content.headers = own_headers(std::move(headers));
  return content;
}

std::string difference(const CopyContent& content, std::string_view id, std::string_view value,
                       Time made_by) {
  nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
  if (!json.is_object()) return "value";
  nlohmann::json should = {{"id", id}, {"type", content.type}, {"args", content.args}};
  if (!content.meta.is_null()) should["meta"] = content.meta;
  if (content.priority != 0) should["priority"] = content.priority;
  if (content.weight != 1) should["weight"] = content.weight;
  if (content.unique_key) should["unique_key"] = *content.unique_key;
  if (content.expires_at) should["expires_at"] = to_ms(*content.expires_at);
  // A time that has come is left out, and what the clocks said then is not known.
  const bool is_future = content.run_at && *content.run_at > made_by + kClocksApart;
  if (content.run_at && (is_future || json.contains("run_at")))
    should["run_at"] = to_ms(*content.run_at);
  return json == should ? "" : "value (" + should.dump() + ")";
}

std::string difference(const CopyContent& content, const JobRow& row, Time made_by) {
  if (row.type != content.type) return "type";
  if (row.priority != content.priority) return "priority";
  if (row.weight != content.weight) return "weight";
  if (row.expires_at != content.expires_at.value_or(Time{})) return "expiry";
  if (!are_same(own_headers(row.headers), content.headers)) return "headers";
  return difference(content, row.id, row.value, made_by);
}

std::string difference(const CopyContent& content, const AttemptRequest& request) {
  if (request.type != content.type) return "type";
  if (!has_args(content, request.args)) return "arguments";
  return are_same(own_headers(request.headers), content.headers) ? "" : "headers";
}

}  // namespace penstock::simulation
