#include "consumer/on_done.h"

#include <nlohmann/json.hpp>

#include "topics/check.h"

namespace penstock {
namespace {

// An object with `member` in front of what it has.
std::string with_first(std::string_view object, const std::string& member) {
  const std::size_t brace = object.find('{');
  const std::size_t next = object.find_first_not_of(" \t\r\n", brace + 1);
  const bool empty = object[next] == '}';
  std::string made(object.substr(0, brace + 1));
  made.append(member).append(empty ? "" : ",").append(object.substr(brace + 1));
  return made;
}

std::string numbers(std::string_view id, const BulkRow& row) {
  const nlohmann::ordered_json numbers{{"id", id},
                                       {"size", row.size},
                                       {"succeeded", row.succeeded},
                                       {"dead", row.dead},
                                       {"cancelled", row.cancelled},
                                       {"expired", row.expired}};
  return "\"bulk\":" + numbers.dump();
}

}  // namespace

std::string on_done_record(std::string_view account, std::string_view id, const Bulks::AllEnded& all) {
  thread_local JobDecoder decoder;
  const std::string& text = all.on_done;
  const auto job = decoder.decode(account, text, kMaxDerivedIdBytes);
  PENSTOCK_CHECK(job.has_value(), "an admitted on_done decodes again");
  const bool has_args = job->args.data() >= text.data() && job->args.data() < text.data() + text.size();
  std::string record = text;
  if (has_args) {
    const auto at = static_cast<std::size_t>(job->args.data() - text.data());
    record.replace(at, job->args.size(), with_first(job->args, numbers(id, all.row)));
  } else {
    record = with_first(record, "\"args\":{" + numbers(id, all.row) + "}");
  }
  if (!job->id.empty()) return record;
  return with_first(record, "\"id\":" + nlohmann::json(std::string(id) + "/on_done").dump());
}

}  // namespace penstock
