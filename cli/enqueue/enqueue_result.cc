#include "cli/enqueue/enqueue_result.h"

#include <nlohmann/json.hpp>

#include "cli/program/output.h"

namespace penstock {

nlohmann::ordered_json enqueue_json(std::string_view queue, std::string_view account,
                                    const Sent& sent) {
  nlohmann::ordered_json object{
      {"id", sent.id}, {"queue", queue}, {"account", account}, {"partition", sent.partition}};
  object["offset"] = sent.offset ? nlohmann::ordered_json(*sent.offset) : nullptr;
  return object;
}

std::string failure_text(const Failure& failure) {
  const auto text =
      failure.member.empty() ? failure.message : failure.member + ": " + failure.message;
  return printable(text);
}

}  // namespace penstock
