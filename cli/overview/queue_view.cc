#include "cli/overview/queue_view.h"

#include <nlohmann/json.hpp>

#include "cli/remote/json_text.h"

namespace penstock {
namespace {

constexpr std::int64_t kLongReadyMs = 60'000;

std::string name_of_queue(const nlohmann::ordered_json& queue) {
  const auto paused = queue.is_object() ? queue.find("paused") : queue.end();
  const bool is_paused = paused != queue.end() && paused->is_boolean() && paused->get<bool>();
  return text_of(queue, "queue") + (is_paused ? " (paused)" : "");
}

}  // namespace

std::vector<std::string> queue_titles() {
  return {"QUEUE", "JOBS",     "RUNNING",    "READY ACCOUNTS", "OLDEST READY", "IN/S",
          "OUT/S", "FAILED/S", "PARTITIONS", "PHASES",         "WAITING FOR"};
}

std::string rate_of(const nlohmann::ordered_json& queue, const char* name) {
  const auto& rates = object_member(queue, "rates");
  return rates.contains(name) ? short_number(number_member(rates, name)) : "-";
}

std::string waiting_of(const nlohmann::ordered_json& queue) {
  return counts_by_name(object_member(queue, "waiting"));
}

std::vector<Cell> queue_row(const nlohmann::ordered_json& queue) {
  const std::int64_t oldest = count_member(queue, "oldest_ready_ms");
  const std::string failed = rate_of(queue, "failed");
  const bool fails = failed != "-" && failed != "0";
  return {{name_of_queue(queue)},
          {text_of(queue, "jobs")},
          {text_of(queue, "running")},
          {text_of(queue, "ready_accounts")},
          {age_text(oldest), oldest > kLongReadyMs ? std::optional(Colour::kYellow) : std::nullopt},
          {rate_of(queue, "in")},
          {rate_of(queue, "out")},
          {failed, fails ? std::optional(Colour::kRed) : std::nullopt},
          {text_of(queue, "partitions")},
          {counts_by_name(object_member(queue, "phases"))},
          {waiting_of(queue)}};
}

}  // namespace penstock
