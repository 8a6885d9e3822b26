#include "cli/replay/replay_view.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/program/table.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

std::string text_of(const nlohmann::ordered_json& value) {
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

void show_totals(Output& output, const ReplayView& view, const nlohmann::ordered_json& json) {
  const auto line = [&](std::string name, const std::string& value) {
    name.resize(14, ' ');
    output.line(name + value);
  };
  line("id", text_of(json["id"]));
  line("queue", text_of(json["queue"]));
  line("state",
       text_of(json["state"]) + (json["reason"].is_null() ? "" : ": " + text_of(json["reason"])));
  line("terms", printable(json["terms"].dump()));
  line("started", text_of(json["started_at"]) + " by " + printable(text_of(json["started_by"])));
  line("records", std::to_string(view.totals.records) + ", " + std::to_string(view.totals.left) +
                      " left to read");
  if (view.record.removed > 0)
    line("removed", removed_text(view.record.removed, view.record.oldest));
  for (const char* const name : {"scanned", "matched"}) line(name, text_of(json[name]));
  line("left out", counts_text(json["left_out"]));
  for (const char* const name : {"admitted", "sent", "waiting", "running"})
    line(name, text_of(json[name]));
  line("ended", counts_text(json["ended"]));
  line("rate", rate_text(json["rate"], view.totals.left > 0));
  line("ends about", text_of(json["estimated_end"]));
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
    const auto next = std::max(part["next"].get<std::int64_t>(), part["from"].get<std::int64_t>());
    const auto left = std::max<std::int64_t>(part["to"].get<std::int64_t>() - next, 0);
    std::vector<Cell> row{{part["partition"].dump()}, {std::to_string(left)}};
    for (const char* const name : kCounts) row.push_back({text_of(part[name])});
    row.push_back({text_of(part["reported_at"])});
    row.push_back({counts_text(part["left_out"])});
    row.push_back({counts_text(part["ended"])});
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

void show_replay(Output& output, const ReplayView& view, Time now) {
  const auto json = to_json(view, now, true);
  if (output.is_json()) return output.json(json);
  show_totals(output, view, json);
  output.line("");
  show_partitions(output, json["partitions"]);
}

void show_dry_run(Output& output, const ReplayDryRun& run) {
  const auto json = to_json(run);
  if (output.is_json()) return output.json(json);
  output.line(std::to_string(run.copies) + " of " + std::to_string(run.scanned) +
              " records would be copied; left out: " + counts_text(json["left_out"]));
  if (run.ranges.removed > 0) output.line(removed_text(run.ranges.removed, run.ranges.oldest));
  for (const auto& [type, count] : run.types)
    output.line("type " + type + ": " + std::to_string(count));
  if (run.other_types > 0) output.line("other types: " + std::to_string(run.other_types));
  for (const auto& [account, count] : run.accounts)
    output.line("account " + printable(account) + ": " + std::to_string(count));
  if (run.other_accounts > 0) output.line("other accounts: " + std::to_string(run.other_accounts));
  for (const ReplayDryRun::Sample& sample : run.samples) {
    output.line("sample " + printable(sample.account) + "/" + printable(sample.id) + " (" +
                sample.type + ", " + sample.source + ") " + printable(sample.args));
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
  const auto config = program.config_with_brokers();
  if (!config) return program.usage_error(config.error().message);
  auto opened = open_desk(program, *config);
  if (!opened) return program.fail(opened.error().message);
  return run(program, opened->desk);
}

}  // namespace penstock
