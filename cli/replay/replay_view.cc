#include "cli/replay/replay_view.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/program/table.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

std::string value_text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string counts_text(const nlohmann::ordered_json& counts) {
  std::string text;
  for (const auto& [name, count] : counts.items())
    text.append(text.empty() ? "" : ", ").append(count.dump()).append(" ").append(name);
  return text.empty() ? "-" : text;
}

// Of records or, once all were read, of copies.
std::string rate_text(const nlohmann::ordered_json& rate, bool reading) {
  if (rate.is_null()) return "-";
  const std::string unit = reading ? " records/s" : " copies/s";
  const double number = rate.get<double>();
  if (number < 0.1) return "below 0.1" + unit;
  char text[40];
  std::snprintf(text, sizeof(text), "%.*f", number < 10 ? 1 : 0, number);
  return text + unit;
}

std::string or_dash(const nlohmann::ordered_json& object, const char* name) {
  const std::string text = text_of(object, name);
  return text.empty() ? "-" : text;
}

std::string removed_words(const nlohmann::ordered_json& json) {
  return removed_text(count_member(json, "removed"),
                      parse_rfc3339(text_member(json, "oldest")).value_or(Time{}));
}

const nlohmann::ordered_json& null_json() {
  static const nlohmann::ordered_json null;
  return null;
}

void show_totals(Output& output, const nlohmann::ordered_json& replay) {
  // A member that an older worker does not give is shown as if it were null.
  struct Members {
    const nlohmann::ordered_json& of;
    const nlohmann::ordered_json& operator[](const char* name) const {
      const auto found = of.find(name);
      return found == of.end() ? null_json() : *found;
    }
  } const json{replay};
  const std::int64_t left = records_left(replay);
  const auto line = [&](std::string name, const std::string& value) {
    name.resize(14, ' ');
    output.line(name + value);
  };
  line("id", value_text(json["id"]));
  line("queue", value_text(json["queue"]));
  line("state",
       value_text(json["state"]) +
           (text_member(replay, "reason").empty() ? "" : ": " + value_text(json["reason"])));
  line("terms", printable(json["terms"].dump()));
  line("started",
       value_text(json["started_at"]) + " by " + printable(value_text(json["started_by"])));
  line("records", std::to_string(count_member(replay, "records")) + ", " + std::to_string(left) +
                      " left to read");
  if (count_member(replay, "removed") > 0) line("removed", removed_words(replay));
  for (const char* const name : {"scanned", "matched"}) line(name, value_text(json[name]));
  line("left out", counts_text(json["left_out"]));
  for (const char* const name : {"admitted", "sent", "waiting", "running"})
    line(name, value_text(json[name]));
  line("ended", counts_text(json["ended"]));
  line("rate", rate_text(json["rate"], left > 0));
  line("ends about", value_text(json["estimated_end"]));
}

void show_partitions(Output& output, const nlohmann::ordered_json& partitions) {
  static constexpr const char* kCounts[] = {"scanned", "matched", "admitted",
                                            "sent",    "waiting", "running"};
  const std::vector<std::string> titles{"PARTITION", "LEFT",     "SCANNED", "MATCHED",
                                        "ADMITTED",  "SENT",     "WAITING", "RUNNING",
                                        "REPORTED",  "LEFT OUT", "ENDED"};
  Table table(output, titles);
  if (!output.terminal().out) {
    // In a pipe, tables have no heading; but these rows follow lines of another kind.
    std::vector<Cell> heading(titles.size());
    for (std::size_t i = 0; i < titles.size(); ++i) heading[i].text = titles[i];
    table.add(std::move(heading));
  }
  for (const auto& part : partitions) {
    const auto next = std::max(count_member(part, "next"), count_member(part, "from"));
    const auto left = std::max<std::int64_t>(count_member(part, "to") - next, 0);
    std::vector<Cell> row{{text_of(part, "partition")}, {std::to_string(left)}};
    for (const char* const name : kCounts) row.push_back({or_dash(part, name)});
    row.push_back({or_dash(part, "reported_at")});
    row.push_back({counts_text(object_member(part, "left_out"))});
    row.push_back({counts_text(object_member(part, "ended"))});
    table.add(std::move(row));
  }
}

}  // namespace

Time wall_now() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

std::string removed_text(std::int64_t removed, Time oldest) {
  return "Retention has removed " + std::to_string(removed) +
         " records that may have belonged to it" +
         (oldest == Time{} ? "" : "; the oldest one left is of " + format_rfc3339(oldest));
}

std::string progress_text(const ReplayView& view) {
  const ReplayTotals& totals = view.totals;
  std::string text = std::string(state_name(view.record, totals)) + ": " +
                     std::to_string(totals.records - totals.left) + " of " +
                     std::to_string(totals.records) + " records read, " +
                     std::to_string(totals.counts.admitted + totals.counts.sent) + " copies";
  for (std::size_t i = 0; i < ReplayCounts::kEnds; ++i) {
    if (totals.counts.ended[i] > 0)
      text += ", " + std::to_string(totals.counts.ended[i]) + " " + std::string(end_name(i));
  }
  return text;
}

std::vector<Cell> replay_row(const nlohmann::ordered_json& replay) {
  const std::int64_t copies = count_member(replay, "admitted") + count_member(replay, "sent");
  return {{text_of(replay, "queue")},
          {text_of(replay, "id")},
          {text_of(replay, "state")},
          {text_of(replay, "started_at")},
          {std::to_string(count_member(replay, "records"))},
          {std::to_string(records_left(replay))},
          {std::to_string(copies)},
          {std::to_string(count_member(object_member(replay, "ended"), "dead"))}};
}

void show_replay(Output& output, const nlohmann::ordered_json& replay) {
  if (output.is_json()) return output.json(replay);
  show_totals(output, replay);
  output.line("");
  show_partitions(output, array_member(replay, "partitions"));
}

void show_replay(Output& output, const ReplayView& view, Time now) {
  show_replay(output, to_json(view, now, true));
}

void show_dry_run(Output& output, const nlohmann::ordered_json& run) {
  if (output.is_json()) return output.json(run);
  output.line(text_of(run, "copies") + " of " + text_of(run, "scanned") +
              " records would be copied; left out: " + counts_text(object_member(run, "left_out")));
  if (count_member(run, "removed") > 0) output.line(removed_words(run));
  for (const auto& [type, count] : object_member(run, "types").items())
    output.line("type " + printable(type) + ": " + count.dump());
  if (count_member(run, "other_types") > 0)
    output.line("other types: " + text_of(run, "other_types"));
  for (const auto& [account, count] : object_member(run, "accounts").items())
    output.line("account " + printable(account) + ": " + count.dump());
  if (count_member(run, "other_accounts") > 0)
    output.line("other accounts: " + text_of(run, "other_accounts"));
  for (const auto& sample : array_member(run, "samples")) {
    output.line("sample " + printable(text_of(sample, "account")) + "/" +
                printable(text_of(sample, "id")) + " (" + printable(text_of(sample, "type")) +
                ", " + printable(text_of(sample, "source")) + ") " +
                printable(text_of(sample, "args")));
  }
}

Exit fail(Program& program, const ReplayProblem& problem) {
  switch (problem.kind) {
    case ReplayProblem::Kind::kNotFound:
      return program.fail(problem.message, Exit::kNotFound);
    case ReplayProblem::Kind::kBad:
      return program.usage_error(problem.message);
    default:
      return program.fail(problem.message);
  }
}

Result<OpenDesk> open_desk(Program& program, const Config& config) {
  auto log = program.services().open_log(config);
  if (!log) return tl::unexpected(log.error());
  Log& opened = **log;
  return OpenDesk{*std::move(log), ReplayDesk(opened, config.prefix, config.queues)};
}

Exit ReplayCommand::run(Program& program) {
  auto reach = find_reach(program, worker);
  if (!reach) return program.usage_error(reach.error().message);
  if (reach->worker) {
    RemoteReplays replays(*std::move(reach->worker));
    return run_there(program, replays);
  }
  auto opened = open_desk(program, reach->config);
  if (!opened) return program.fail(opened.error().message);
  return run(program, opened->desk);
}

}  // namespace penstock
