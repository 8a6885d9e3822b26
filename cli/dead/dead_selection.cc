#include "cli/dead/dead_selection.h"

#include <utility>

#include "cli/jobs/job_selection.h"
#include "cli/program/queue_choice.h"

namespace penstock {

void DeadSelection::add_options(CLI::App& app) {
  app.add_option("--queue", queue, "The queue")->required()->type_name("Q");
  app.add_option("--reason", reasons, "Records with this reason; may be repeated, or a list a,b")
      ->delimiter(',')
      // Otherwise, CLI11 lets a repeatable option take all the words that follow it.
      ->allow_extra_args(false)
      ->type_name("R");
  app.add_option("--type", type, "Records of this type")->type_name("T");
  app.add_option("--account", account, "Records of this account")
      ->check(check_account)
      ->type_name("A");
  app.add_option("--from", from, "Died at this time or later (RFC 3339, or ms since 1970)")
      ->type_name("TIME");
  app.add_option("--to", to, "Died before this time")->type_name("TIME");
  add_remote_options(app, worker, Asks::kWithoutBrokers);
}

TargetQuery DeadSelection::query() const {
  std::string list;
  for (const std::string& reason : reasons) list += (list.empty() ? "" : ",") + reason;
  TargetQuery query;
  query.add("reason", list);
  query.add("type", type);
  query.add("account", account);
  query.add("from", from);
  query.add("to", to);
  return query;
}

nlohmann::ordered_json DeadSelection::body() const {
  nlohmann::ordered_json body = nlohmann::ordered_json::object();
  if (!reasons.empty()) body["reason"] = reasons;
  if (!type.empty()) body["type"] = type;
  if (!account.empty()) body["account"] = account;
  if (!from.empty()) body["from"] = from;
  if (!to.empty()) body["to"] = to;
  return body;
}

Result<DeadFilter> DeadSelection::filter() const {
  DeadFilter filter;
  filter.type = type;
  filter.account = account;
  for (const std::string& reason : reasons) {
    if (const Status added = filter.add_reason(reason); !added)
      return failure("--reason: " + added.error().message);
  }
  const auto set = [](std::optional<Time>& time, const char* option, const std::string& text) {
    if (text.empty()) return Status();
    const auto read = parse_dead_time(text);
    if (!read) return Status(failure(std::string(option) + ": " + read.error().message));
    time = *read;
    return Status();
  };
  if (const Status read = set(filter.from, "--from", from); !read)
    return failure(read.error().message);
  if (const Status read = set(filter.to, "--to", to); !read) return failure(read.error().message);
  return filter;
}

std::optional<DeadTopic> DeadTopic::open(Program& program, const Config& config,
                                         const DeadSelection& selection, Exit& exit) {
  const auto refuse = [&](const Error& error, Exit status) {
    exit = program.fail(error.message, status);
    return std::nullopt;
  };
  const auto chosen = chosen_queues(config, {selection.queue});
  if (!chosen) {
    exit = fail(program, chosen.error());
    return std::nullopt;
  }
  auto filter = selection.filter();
  if (!filter) return refuse(filter.error(), Exit::kUsage);
  auto log = program.services().open_log(config);
  if (!log) return refuse(log.error(), Exit::kFailed);
  QueueNames names(config.prefix, selection.queue);
  const auto described = (*log)->describe(names.dead_topic());
  if (!described) return refuse(described.error(), Exit::kFailed);
  if (!described->exists) {
    return refuse({"queue \"" + selection.queue + "\" has no topic " + names.dead_topic() +
                   "; is the name right? `penstock topics create` creates its topics"},
                  Exit::kNotFound);
  }
  return DeadTopic{config, std::move(names), *std::move(filter), *std::move(log)};
}

Result<DeadPage> DeadTopic::read(const DeadSelection& selection, const OnDead& on_dead) {
  DeadBounds bounds;
  if (selection.limit) bounds.matches = static_cast<std::size_t>(*selection.limit);
  return read_dead(*log, names.dead_topic(), filter, std::nullopt, bounds, on_dead);
}

void note_rest(Output& output, const DeadPage& page, const char* more) {
  if (page.removed > 0) {
    output.note("Retention removed " + std::to_string(page.removed) +
                " records while they were being read.");
  }
  if (page.after) output.note(more);
}

}  // namespace penstock
