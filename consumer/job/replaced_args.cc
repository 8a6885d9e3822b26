#include "consumer/job/replaced_args.h"

#include "topics/json/json_document.h"
#include "topics/values/check.h"

namespace penstock {

std::string replaced_args(std::string_view record, std::string_view args) {
  thread_local JsonDocument document;
  PENSTOCK_CHECK(!document.parse(record), "an admitted record is good JSON");
  const std::string_view whole = document.raw(JsonDocument::root());
  const std::string_view before = record.substr(0, record.find('{') + 1);
  std::string_view old;
  bool empty = true;
  document.each_member(JsonDocument::root(), [&](std::string_view name, JsonToken value) {
    empty = false;
    if (name == "args") old = document.raw(value);
  });
  std::string made(before);
  // Optional in a record; every other byte of it stays as the producer wrote it.
  if (old.empty()) {
    made.append("\"args\":").append(args).append(empty ? "" : ",");
    return made.append(record.substr(before.size()));
  }
  const auto at = before.size() - 1 + static_cast<std::size_t>(old.data() - whole.data());
  made.append(record.substr(before.size(), at - before.size())).append(args);
  return made.append(record.substr(at + old.size()));
}

}  // namespace penstock
