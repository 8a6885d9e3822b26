#include "producer/json_line.h"

#include <optional>

#include "topics/record/job_record.h"

namespace penstock {
namespace {

tl::unexpected<Failure> bad_line(std::string member, std::string message) {
  return tl::unexpected(Failure{FailureReason::kBadJob, std::move(member), std::move(message)});
}

}  // namespace

tl::expected<JobLine, Failure> JsonLineReader::read(std::string_view line) {
  if (line.size() > kMaxValueBytes) {
    return bad_line("", std::to_string(line.size()) + " bytes; a job has at most " +
                            std::to_string(kMaxValueBytes));
  }
  if (auto fault = document_.parse(line)) return bad_line(fault->pointer, fault->detail);
  if (document_.kind(JsonDocument::root()) != '{') {
    return bad_line("", "expected one JSON object with the job's members and its account");
  }
  std::optional<JsonToken> account;
  value_.assign(1, '{');
  document_.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken value) {
    if (name == "account") {
      account = value;
      return;
    }
    if (value_.size() > 1) value_ += ',';
    // In the text, the name is two tokens before its value (the colon is a token too).
    // Raw, so that numbers and escapes reach the handler as they were written.
    value_.append(document_.raw(value - 2)).append(1, ':').append(document_.raw(value));
  });
  value_ += '}';
  if (!account)
    return bad_line("/account", "account is missing; every job needs the account it belongs to");
  if (document_.kind(*account) != '"') return bad_line("/account", "account must be a string");
  account_ = document_.string(*account);
  return JobLine{.account = account_, .value = value_};
}

}  // namespace penstock
