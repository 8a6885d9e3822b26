#include "cli/replay/remote_replays.h"

#include <algorithm>
#include <utility>

#include "cli/program/progress.h"
#include "cli/remote/json_text.h"
#include "cli/replay/replay_choice.h"

namespace penstock {
namespace {

constexpr int kRemoteTellEvery = 5;  // looks, where there is no progress bar

tl::unexpected<ReplayProblem> problem_of(const WorkerError& error) {
  constexpr int kConflictStatus = 409, kBadRequest = 400, kUnprocessable = 422;
  using Kind = ReplayProblem::Kind;
  const Kind kind = error.not_found                   ? Kind::kNotFound
                    : error.status == kConflictStatus ? Kind::kConflict
                    : error.status == kBadRequest || error.status == kUnprocessable
                        ? Kind::kBad
                        : Kind::kUnavailable;
  return tl::unexpected(ReplayProblem{kind, error.message});
}

ReplayAnswer<JobJson> answer_of(FromWorker<JobJson> answer) {
  if (!answer) return problem_of(answer.error());
  return *std::move(answer);
}

std::string replay_target(const ReplayTarget& target, const std::string& rest = "") {
  return queue_target(target.queue, "/replays/" + percent_encoded(target.name) + rest);
}

}  // namespace

std::int64_t records_left(const nlohmann::ordered_json& replay) {
  std::int64_t left = 0;
  const auto& partitions = array_member(replay, "partitions");
  if (partitions.empty()) {
    if (text_member(replay, "state") == "finished") return 0;
    return std::max<std::int64_t>(
        0, count_member(replay, "records") - count_member(replay, "scanned"));
  }
  for (const auto& part : partitions) {
    const auto next = std::max(count_member(part, "next"), count_member(part, "from"));
    left += std::max<std::int64_t>(count_member(part, "to") - next, 0);
  }
  return left;
}

ReplayAnswer<RemoteReplays::Started> RemoteReplays::start(const ReplayTarget& target,
                                                          const ReplayTerms& terms,
                                                          const std::string& by) {
  constexpr int kCreated = 201;
  JobJson body = to_json(terms);
  body["id"] = target.name;
  TargetQuery query;
  query.add("by", by);
  auto answer = worker_.link().ask({.method = "POST",
                                    .target = queue_target(target.queue, "/replays") + query.text(),
                                    .body = body.dump()});
  if (!answer) return problem_of(answer.error());
  if (answer->status / 100 != 2) return problem_of(worker_.link().refused(*answer).value());
  return Started{std::move(answer->body), answer->status == kCreated};
}

ReplayAnswer<JobJson> RemoteReplays::count(const std::string& queue, const ReplayTerms& terms) {
  return answer_of(
      worker_.send("POST", queue_target(queue, "/replays?dry_run=true"), to_json(terms).dump()));
}

ReplayAnswer<JobJson> RemoteReplays::show(const ReplayTarget& target) {
  return answer_of(worker_.get(replay_target(target)));
}

ReplayAnswer<std::vector<JobJson>> RemoteReplays::list(const std::string& queue) {
  std::vector<std::string> queues{queue};
  if (queue.empty()) {
    const auto all = worker_.get("/v1/queues");
    if (!all) return problem_of(all.error());
    queues.clear();
    for (const JobJson& one : array_member(*all, "queues"))
      queues.push_back(text_member(one, "queue"));
  }
  std::vector<JobJson> replays;
  for (const std::string& one : queues) {
    const auto body = worker_.get(queue_target(one, "/replays"));
    if (!body) return problem_of(body.error());
    for (const JobJson& replay : array_member(*body, "replays")) replays.push_back(replay);
  }
  return replays;
}

ReplayAnswer<JobJson> RemoteReplays::change(const ReplayTarget& target,
                                            std::optional<ReplayChange> change,
                                            const std::string& by) {
  if (!change) return answer_of(worker_.send("DELETE", replay_target(target)));
  const char* const op = *change == ReplayChange::kPause    ? "/pause"
                         : *change == ReplayChange::kResume ? "/resume"
                                                            : "/cancel";
  TargetQuery query;
  query.add("by", by);
  auto changed = answer_of(worker_.send("POST", replay_target(target, op) + query.text()));
  return changed;
}

ReplayAnswer<ReplayTarget> RemoteReplays::find_chosen(const ReplayTarget& chosen) {
  if (!chosen.queue.empty()) return chosen;
  const auto replays = list("");
  if (!replays) return tl::unexpected(replays.error());
  std::vector<std::string> queues;
  for (const JobJson& replay : *replays) {
    if (text_member(replay, "id") == chosen.name) queues.push_back(text_member(replay, "queue"));
  }
  return only_queue(chosen.name, queues);
}

ReplayAnswer<JobJson> RemoteReplays::follow(Output& output, const ReplayTarget& target,
                                            const std::function<bool()>& wait) {
  auto replay = show(target);
  if (!replay) return replay;
  Progress progress(output, "records",
                    static_cast<std::uint64_t>(count_member(*replay, "records")));
  for (int looks = 1; text_member(*replay, "state") == "running"; ++looks) {
    if (!wait()) return replay;
    replay = show(target);
    if (!replay) {
      replay.error().message += " (the replay goes on meanwhile)";
      return replay;
    }
    const std::int64_t records = count_member(*replay, "records");
    const std::int64_t read = records - records_left(*replay);
    progress.update(static_cast<std::uint64_t>(std::max<std::int64_t>(0, read)));
    if (!output.terminal().err && looks % kRemoteTellEvery == 0) {
      output.note(text_member(*replay, "state") + ": " + std::to_string(read) + " of " +
                  std::to_string(records) + " records read");
    }
  }
  return replay;
}

}  // namespace penstock
