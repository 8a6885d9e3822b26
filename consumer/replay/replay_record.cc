#include "consumer/replay/replay_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace penstock {
namespace {

using ReplayJson = nlohmann::json;
using OrderedReplayJson = nlohmann::ordered_json;

constexpr std::string_view kStates[] = {"running", "paused", "cancelled"};
constexpr std::string_view kLeftOutNames[] = {"command", "bad",     "copy", "forwarded",
                                              "repeat",  "refused", "lost"};

std::string text_of(const OrderedReplayJson& json) {
  // An operator's name may not be UTF-8; it must not make the record fail.
  return json.dump(-1, ' ', false, OrderedReplayJson::error_handler_t::replace);
}

std::int64_t number_member(const ReplayJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

std::string text_member(const ReplayJson& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<ReplayJson> parse_report_object(std::string_view bytes) {
  ReplayJson json = ReplayJson::parse(bytes, nullptr, false);
  if (!json.is_object()) return failure("expected a JSON object");
  return json;
}

Status read_ranges(const ReplayJson& json, std::vector<ReplayRange>& out) {
  const auto found = json.find("ranges");
  if (found == json.end() || !found->is_array()) return failure("\"ranges\": expected an array");
  for (const ReplayJson& range : *found) {
    const bool good = range.is_array() && range.size() == 2 && range[0].is_number_integer() &&
                      range[1].is_number_integer();
    if (!good) return failure("\"ranges\": expected [from, to] for each partition");
    out.push_back({Offset{range[0].get<std::int64_t>()}, Offset{range[1].get<std::int64_t>()}});
  }
  return {};
}

}  // namespace

std::string_view to_string(ReplayState state) { return kStates[static_cast<std::size_t>(state)]; }
std::string_view to_string(LeftOut reason) {
  return kLeftOutNames[static_cast<std::size_t>(reason)];
}
std::string_view end_name(std::size_t end) {
  return to_string(static_cast<JobState>(static_cast<std::size_t>(JobState::kSucceeded) + end));
}

std::int64_t ReplayRecord::records() const {
  return std::accumulate(
      ranges.begin(), ranges.end(), std::int64_t{0},
      [](std::int64_t sum, const ReplayRange& range) { return sum + range.records(); });
}

std::string to_json_text(const ReplayRecord& record) {
  OrderedReplayJson json;
  json["terms"] = to_json(record.terms);
  json["ranges"] = OrderedReplayJson::array();
  for (const ReplayRange& range : record.ranges)
    json["ranges"].push_back({range.from.value, range.to.value});
  json["removed"] = record.removed;
  json["oldest"] = to_ms(record.oldest);
  json["started_at"] = to_ms(record.started_at);
  json["started_by"] = record.started_by;
  json["state"] = to_string(record.state);
  json["reason"] = record.reason;
  json["at"] = to_ms(record.at);
  json["by"] = record.by;
  json["resumes"] = record.resumes;
  return text_of(json);
}

Result<ReplayRecord> parse_replay_record(std::string_view bytes) {
  const auto json = parse_report_object(bytes);
  if (!json) return tl::unexpected(json.error());
  ReplayRecord record;
  const auto found = json->find("terms");
  if (found == json->end()) return failure("\"terms\" is missing");
  auto terms = parse_replay_terms(*found);
  if (!terms) return failure("\"terms\": " + terms.error().message);
  record.terms = std::move(*terms);
  if (const Status read = read_ranges(*json, record.ranges); !read)
    return tl::unexpected(read.error());
  const std::string state = text_member(*json, "state");
  const auto* const known = std::find(std::begin(kStates), std::end(kStates), state);
  if (known == std::end(kStates)) return failure("\"state\": found \"" + state + "\"");
  record.state = static_cast<ReplayState>(known - std::begin(kStates));
  record.removed = number_member(*json, "removed");
  record.oldest = time_from_ms(number_member(*json, "oldest"));
  record.started_at = time_from_ms(number_member(*json, "started_at"));
  record.started_by = text_member(*json, "started_by");
  record.reason = text_member(*json, "reason");
  record.at = time_from_ms(number_member(*json, "at"));
  record.by = text_member(*json, "by");
  record.resumes = static_cast<std::uint64_t>(number_member(*json, "resumes"));
  return record;
}

std::string to_json_text(const ReplayPause& pause) {
  return text_of({{"started_at", to_ms(pause.started_at)},
                  {"resumes", pause.resumes},
                  {"reason", pause.reason},
                  {"at", to_ms(pause.at)}});
}

Result<ReplayPause> parse_replay_pause(std::string_view bytes) {
  const auto json = parse_report_object(bytes);
  if (!json) return tl::unexpected(json.error());
  ReplayPause pause;
  pause.started_at = time_from_ms(number_member(*json, "started_at"));
  pause.resumes = static_cast<std::uint64_t>(number_member(*json, "resumes"));
  pause.reason = text_member(*json, "reason");
  pause.at = time_from_ms(number_member(*json, "at"));
  return pause;
}

ReplayRecord in_force(ReplayRecord record, const ReplayPauses& pauses) {
  const auto found = std::find_if(
      pauses.begin(), pauses.end(),
      [&](const std::optional<ReplayPause>& pause) { return pause && pause->counts_for(record); });
  if (found == pauses.end()) return record;
  record.state = ReplayState::kPaused;
  record.reason = (*found)->reason;
  record.at = (*found)->at;
  record.by = "penstock";
  return record;
}

std::int64_t ReplayCounts::all_ended() const {
  return std::accumulate(ended.begin(), ended.end(), std::int64_t{0});
}

ReplayCounts& ReplayCounts::operator+=(const ReplayCounts& other) {
  scanned += other.scanned;
  matched += other.matched;
  admitted += other.admitted;
  sent += other.sent;
  forwarded += other.forwarded;
  received += other.received;
  for (std::size_t i = 0; i < left_out.size(); ++i) left_out[i] += other.left_out[i];
  for (std::size_t i = 0; i < ended.size(); ++i) ended[i] += other.ended[i];
  return *this;
}

bool is_outdated(const ReplayRecord& record, const ReplayRecord& known) {
  if (record.started_at != known.started_at) return false;
  const bool was_cancelled = known.state == ReplayState::kCancelled;
  return record.resumes < known.resumes ||
         (was_cancelled && record.state != ReplayState::kCancelled);
}

std::string to_json_text(const ReplayProgress& progress) {
  const ReplayCounts& counts = progress.counts;
  OrderedReplayJson json{
      {"next", progress.next.value}, {"scanned", counts.scanned},   {"matched", counts.matched},
      {"admitted", counts.admitted}, {"sent", counts.sent},         {"forwarded", counts.forwarded},
      {"received", counts.received}, {"left_out", counts.left_out}, {"ended", counts.ended},
      {"running", progress.running}, {"at", to_ms(progress.at)},    {"done", progress.done},
      {"commit", progress.commit}};
  return text_of(json);
}

Result<ReplayProgress> parse_replay_progress(std::string_view bytes) {
  const auto json = parse_report_object(bytes);
  if (!json) return tl::unexpected(json.error());
  ReplayProgress progress;
  ReplayCounts& counts = progress.counts;
  progress.next = Offset{number_member(*json, "next")};
  counts.scanned = number_member(*json, "scanned");
  counts.matched = number_member(*json, "matched");
  counts.admitted = number_member(*json, "admitted");
  counts.sent = number_member(*json, "sent");
  counts.forwarded = number_member(*json, "forwarded");
  counts.received = number_member(*json, "received");
  const auto read_array = [&](const char* name, auto& out) {
    const auto found = json->find(name);
    if (found == json->end() || !found->is_array()) return;
    for (std::size_t i = 0; i < out.size() && i < found->size(); ++i) {
      if ((*found)[i].is_number_integer()) out[i] = (*found)[i].template get<std::int64_t>();
    }
  };
  read_array("left_out", counts.left_out);
  read_array("ended", counts.ended);
  progress.running = number_member(*json, "running");
  progress.at = time_from_ms(number_member(*json, "at"));
  progress.commit = static_cast<std::uint64_t>(number_member(*json, "commit"));
  progress.done = json->value("done", ReplayJson(false)) == ReplayJson(true);
  return progress;
}

ReplayTotals totals_of(const ReplayRecord& record,
                       const std::vector<std::optional<ReplayProgress>>& progress) {
  ReplayTotals totals;
  bool all_done = true;
  for (std::size_t i = 0; i < record.ranges.size(); ++i) {
    const ReplayRange& range = record.ranges[i];
    totals.records += range.records();
    if (i >= progress.size() || !progress[i]) {
      totals.left += range.records();
      // A partition with nothing to read may still receive copies; it reports those.
      all_done = all_done && range.records() == 0;
      continue;
    }
    const ReplayProgress& of = *progress[i];
    totals.counts += of.counts;
    totals.left += std::max<std::int64_t>(0, range.to.value - std::max(of.next, range.from).value);
    totals.running += of.running;
    totals.last_report = std::max(totals.last_report, of.at);
    all_done = all_done && of.done;
  }
  totals.finished = all_done && totals.counts.forwarded == totals.counts.received;
  return totals;
}

std::string_view state_name(const ReplayRecord& record, const ReplayTotals& totals) {
  if (record.state == ReplayState::kCancelled) return to_string(record.state);
  return totals.finished ? "finished" : to_string(record.state);
}

}  // namespace penstock
