#include "cli/program/queue_choice.h"

#include <algorithm>
#include <string_view>

#include "consumer/config/spelling.h"
#include "topics/names.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

tl::unexpected<NoSuchQueue> not_configured(const Config& config, const std::string& name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const QueuePolicy& queue : config.queues) {
    known.push_back(queue.name);
    list += (list.empty() ? "" : ", ") + queue.name;
  }
  const auto nearest = nearest_word(name, known);
  return tl::unexpected(NoSuchQueue{
      {"found queue \"" + excerpt(name) + "\", expected one of the config file's: " + list +
       (nearest ? "; did you mean " + std::string(*nearest) + "?" : "")},
      true});
}

QueueChoice<QueuePolicy> queue_named(const Config& config, const std::string& name) {
  if (const QueuePolicy* queue = config.queue(name)) return *queue;
  if (!config.queues.empty()) return not_configured(config, name);
  if (Status good = check_queue_name(config.prefix, name); !good) {
    return tl::unexpected(NoSuchQueue{good.error()});
  }
  QueuePolicy queue;
  queue.name = name;
  return queue;
}

}  // namespace

QueueChoice<std::vector<QueuePolicy>> chosen_queues(const Config& config,
                                                    const std::vector<std::string>& names) {
  if (names.empty() && config.queues.empty()) {
    return tl::unexpected(
        NoSuchQueue{{"no queue is named: name one, or set /queues in the config file"}});
  }
  if (names.empty()) return config.queues;
  std::vector<QueuePolicy> queues;
  for (const std::string& name : names) {
    const auto same = [&name](const QueuePolicy& queue) { return queue.name == name; };
    if (std::any_of(queues.begin(), queues.end(), same)) continue;
    auto queue = queue_named(config, name);
    if (!queue) return tl::unexpected(queue.error());
    queues.push_back(*std::move(queue));
  }
  return queues;
}

Exit fail(Program& program, const NoSuchQueue& error) {
  return program.fail(error.message, error.not_found ? Exit::kNotFound : Exit::kUsage);
}

}  // namespace penstock
