#include "producer/job_check.h"

#include "producer/job_id.h"
#include "topics/record/job_decoder.h"

namespace penstock {
namespace {

tl::unexpected<Failure> bad_job(std::string member, std::string message) {
  return tl::unexpected(Failure{FailureReason::kBadJob, std::move(member), std::move(message)});
}

// Senders call from any thread but a decoder belongs to one, and its buffers are worth keeping.
JobDecoder& thread_decoder() {
  thread_local JobDecoder decoder;
  return decoder;
}

// The record with an id as its first member. The comma is needed because `type` is always present.
std::string_view with_id(std::string_view value, std::string_view id) {
  thread_local std::string text;
  const auto behind_brace = value.find('{') + 1;
  text.assign(value.substr(0, behind_brace));
  text.append("\"id\":\"").append(id).append("\",").append(value.substr(behind_brace));
  return text;
}

std::optional<std::string> header_fault(std::span<const HeaderView> headers) {
  std::size_t bytes = 0;
  for (const HeaderView& header : headers) {
    const std::string_view name = header.name;
    bytes += size_of(header);
    if (name.empty()) return "a header has no name; give it one";
    if (name.starts_with("penstock-")) {
      return "header '" + std::string(name) +
             "': names that begin with penstock- are reserved; rename it";
    }
  }
  if (bytes <= kMaxHeaderBytes) return std::nullopt;
  return "the headers have " + std::to_string(bytes) + " bytes; at most " +
         std::to_string(kMaxHeaderBytes) + " are allowed";
}

}  // namespace

tl::expected<CheckedJob, Failure> check_job(std::string_view account, std::string_view value,
                                            std::span<const HeaderView> headers,
                                            std::string_view id) {
  const auto record = thread_decoder().decode(account, value);
  if (!record) return bad_job(record.error().member, record.error().detail);
  if (auto fault = header_fault(headers)) return bad_job("", std::move(*fault));

  CheckedJob job{.id = record->id,
                 .value = value,
                 .bytes = account.size(),
                 .is_command = record->op != Op::kEnqueue};
  if (job.id.empty()) {
    thread_local std::string made;
    // thread_local, because the result contains a view of it.
    job.id = made = id.empty() ? new_job_id() : std::string(id);
    job.value = with_id(value, job.id);
    if (job.value.size() > kMaxValueBytes) {
      return bad_job("", "the record has no room for an id; give it one or make it smaller");
    }
  }
  job.bytes += job.value.size();
  for (const HeaderView& header : headers) job.bytes += size_of(header);
  return job;
}

}  // namespace penstock
