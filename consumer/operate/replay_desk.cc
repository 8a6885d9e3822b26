#include "consumer/operate/replay_desk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "consumer/operate/replay_starts.h"
#include "consumer/worker/control_client.h"
#include "topics/names.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

using Kind = ReplayProblem::Kind;
using DeskJson = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kAskAgain{50};

tl::unexpected<ReplayProblem> problem(Kind kind, std::string message, std::string member = {}) {
  return tl::unexpected(ReplayProblem{kind, std::move(message), std::move(member)});
}

ReplayView view_of(const Control& control, const ReplayTarget& target, const ReplayRecord& record) {
  const Control::ReplayReports& reports = control.replay_reports(target);
  return {target, in_force(record, control.replay_pauses(target)), reports,
          totals_of(record, reports)};
}

bool has_begun(const ReplayView& view) {
  return std::any_of(view.reports.begin(), view.reports.end(),
                     [](const auto& report) { return report.has_value(); });
}

// The first member in which the terms differ.
std::string difference(const ReplayTerms& given, const ReplayTerms& existing) {
  const DeskJson a = to_json(given), b = to_json(existing);
  for (const auto& [name, value] : a.items()) {
    if (!b.contains(name)) return "\"" + name + "\", which that one has not";
    if (b[name] != value)
      return "\"" + name + "\": " + value.dump() + ", that one has " + b[name].dump();
  }
  for (const auto& [name, value] : b.items()) {
    if (!a.contains(name)) return "no \"" + name + "\", that one has " + value.dump();
  }
  return "nothing";
}

// What a start is told where there is a replay of that name.
ReplayAnswer<ReplayView> second_start(ReplayView existing, const ReplayTerms& terms) {
  if (existing.record.terms == terms) return existing;
  return problem(Kind::kConflict, "the replay \"" + existing.target.name +
                                      "\" exists with other terms: found " +
                                      difference(terms, existing.record.terms) +
                                      "; use another name, or delete that one");
}

std::optional<ReplayProblem> check_room(const Control& control, const std::string& queue) {
  std::size_t count = 0;
  control.each_replay([&](const ReplayTarget& target, const ReplayRecord&) {
    if (target.queue == queue) ++count;
  });
  if (count < ReplayDesk::kMaxReplays) return std::nullopt;
  return ReplayProblem{Kind::kConflict, "the queue has " + std::to_string(count) +
                                            " replays, as many as it may: delete some"};
}

std::string text_of(ReplayChange change) {
  static constexpr const char* kTexts[] = {"paused", "resumed", "cancelled"};
  return kTexts[static_cast<std::size_t>(change)];
}

DeskJson time_json(Time time) {
  return time == Time{} ? DeskJson(nullptr) : DeskJson(format_rfc3339(time));
}

// Named by reason or state, without those of which there are none.
template <typename Counts, typename Name>
DeskJson named(const Counts& counts, Name name) {
  DeskJson json = DeskJson::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) json[std::string(name(i))] = counts[i];
  }
  return json;
}

void add_counts(DeskJson& json, const ReplayCounts& counts, std::int64_t running) {
  json["scanned"] = counts.scanned;
  json["matched"] = counts.matched;
  json["left_out"] =
      named(counts.left_out, [](std::size_t i) { return to_string(static_cast<LeftOut>(i)); });
  json["admitted"] = counts.admitted;
  json["sent"] = counts.sent;
  json["waiting"] = counts.live() - running;
  json["running"] = running;
  json["ended"] = named(counts.ended, end_name);
}

// Records, or once all were read copies, per second; and when it would be over at that rate.
void add_rate(DeskJson& json, const ReplayView& view, Time now) {
  const ReplayTotals& totals = view.totals;
  const bool reading = totals.left > 0;
  const std::int64_t done = reading ? totals.counts.scanned : totals.counts.all_ended();
  const std::int64_t left = reading ? totals.left : totals.counts.live();
  // Counted to the last report, because a replay that is paused reports nothing new.
  const Time until = totals.last_report;
  const double seconds = static_cast<double>((until - view.record.started_at).count()) / 1e3;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  json["rate"] = rate > 0 ? DeskJson(rate) : DeskJson(nullptr);
  const bool goes_on = view.record.state == ReplayState::kRunning && !totals.finished;
  constexpr double kFarAway = 1e9;  // seconds
  const double wait = rate > 0 ? static_cast<double>(left) / rate : kFarAway;
  json["estimated_end"] = goes_on && wait < kFarAway
                              ? time_json(now + Duration(static_cast<std::int64_t>(wait * 1e3)))
                              : DeskJson(nullptr);
}

}  // namespace

const QueuePolicy* ReplayDesk::find(const std::string& queue) const {
  const auto found = std::find_if(queues_.begin(), queues_.end(),
                                  [&](const QueuePolicy& policy) { return policy.name == queue; });
  return found == queues_.end() ? nullptr : &*found;
}

std::string ReplayDesk::source(const std::string& queue, const ReplayTerms& terms) const {
  const QueueNames names(prefix_, queue);
  return terms.dead ? names.dead_topic() : names.topic();
}

std::optional<ReplayProblem> ReplayDesk::check_queue(const std::string& queue) const {
  // A config without queues does not say which there are.
  const bool known =
      queues_.empty() ? check_queue_name(prefix_, queue).has_value() : find(queue) != nullptr;
  if (known) return std::nullopt;
  return ReplayProblem{Kind::kNotFound, "the queue \"" + excerpt(queue) + "\" is not in the config",
                       "queue"};
}

std::optional<ReplayProblem> ReplayDesk::check(const std::string& queue,
                                               const ReplayTerms& terms) const {
  if (auto unknown = check_queue(queue)) return unknown;
  if (!terms.to_queue.empty() && check_queue(terms.to_queue)) {
    return ReplayProblem{
        Kind::kBad,
        "the queue \"" + terms.to_queue + "\" is not in the config: the workers must know it too",
        "/to_queue"};
  }
  if (terms.to_queue == queue) {
    return ReplayProblem{Kind::kBad,
                         "the copies run in \"" + queue + "\" anyway: leave \"to_queue\" out",
                         "/to_queue"};
  }
  return std::nullopt;
}

ReplayAnswer<Control> ReplayDesk::read() const {
  auto control = ControlClient(log_, prefix_).read();
  if (!control) return problem(Kind::kUnavailable, control.error().message);
  return *std::move(control);
}

std::optional<ReplayProblem> ReplayDesk::put(const ReplayTarget& target,
                                             const std::optional<ReplayRecord>& record) const {
  const auto value = record ? std::optional(to_json_text(*record)) : std::nullopt;
  const Status set = ControlClient(log_, prefix_).set(replay_key(target), value);
  if (set) return std::nullopt;
  return ReplayProblem{Kind::kUnavailable, set.error().message};
}

ReplayAnswer<ReplayRanges> ReplayDesk::ranges(const std::string& queue, const ReplayTerms& terms) {
  if (auto wrong = check(queue, terms)) return tl::unexpected(*std::move(wrong));
  const QueuePolicy* const policy = find(queue);
  auto found = resolve_ranges(log_, source(queue, terms), terms);
  if (!found && found.error().is_of_terms)
    return problem(Kind::kBad, found.error().message, "/offsets");
  if (!found) return problem(Kind::kUnavailable, found.error().message);
  if (policy && found->ranges.size() != static_cast<std::size_t>(policy->partitions)) {
    return problem(Kind::kConflict, "the topic " + source(queue, terms) + " has " +
                                        std::to_string(found->ranges.size()) +
                                        " partitions, the config says " +
                                        std::to_string(policy->partitions));
  }
  return *std::move(found);
}

ReplayAnswer<ReplayView> ReplayDesk::start(const ReplayTarget& target, const ReplayTerms& terms,
                                           const std::string& by, Time now) {
  if (const Status good = check_replay_name(target.name); !good)
    return problem(Kind::kBad, good.error().message, "/id");
  if (auto wrong = check(target.queue, terms)) return tl::unexpected(*std::move(wrong));
  // Before it is read, so that a start which comes after that is found behind it.
  const auto before = control_end(log_, prefix_);
  if (!before) return problem(Kind::kUnavailable, before.error().message);
  const auto control = read();
  if (!control) return tl::unexpected(control.error());
  if (const ReplayRecord* const existing = control->replay(target))
    return second_start(view_of(*control, target, *existing), terms);
  if (auto full = check_room(*control, target.queue)) return tl::unexpected(*std::move(full));
  auto found = ranges(target.queue, terms);
  if (!found) return tl::unexpected(found.error());
  ReplayRecord record;
  record.terms = terms;
  record.ranges = std::move(found->ranges);
  record.removed = found->removed;
  record.oldest = found->oldest;
  record.started_at = record.at = now;
  record.started_by = record.by = by;
  if (to_json_text(record).size() > kMaxReplayBytes) {
    return problem(Kind::kBad,
                   "the replay's terms have more than " + std::to_string(kMaxReplayBytes) +
                       " bytes: divide the ids among several replays",
                   "/ids");
  }
  // A deleted replay of this name may have left some, which would count as this one's.
  if (auto failed = remove_reports(target, control->replay_reports(target)))
    return tl::unexpected(*std::move(failed));
  if (auto failed = put(target, record)) return tl::unexpected(*std::move(failed));
  return settle(target, record, *before);
}

ReplayAnswer<ReplayView> ReplayDesk::settle(const ReplayTarget& target, const ReplayRecord& record,
                                            Offset before) const {
  const auto starts = read_starts(log_, prefix_, target, before);
  if (!starts) {
    return problem(
        Kind::kUnavailable,
        starts.error().message + "; it is unknown whether the replay was started: start it again");
  }
  const auto& first = starts->first();
  if (!first || is_same_start(*first, record))
    return ReplayView{target, record, {}, totals_of(record, {}), true};
  if (starts->is_overwritten()) {
    if (auto failed = put(target, first)) return tl::unexpected(*std::move(failed));
  }
  return second_start({target, *first, {}, totals_of(*first, {})}, record.terms);
}

ReplayAnswer<ReplayView> find_replay(const Control& control, const ReplayTarget& target) {
  const ReplayRecord* const record = control.replay(target);
  if (record) return view_of(control, target, *record);
  return problem(Kind::kNotFound,
                 "the queue \"" + excerpt(target.queue) + "\" has no replay \"" +
                     excerpt(target.name) + "\"; see `penstock replay list`",
                 "id");
}

ReplayAnswer<ReplayView> ReplayDesk::show(const ReplayTarget& target) {
  const auto control = read();
  if (!control) return tl::unexpected(control.error());
  return find_replay(*control, target);
}

ReplayAnswer<std::vector<ReplayView>> ReplayDesk::list(const std::string& queue) {
  if (!queue.empty()) {
    if (auto unknown = check_queue(queue)) return tl::unexpected(*std::move(unknown));
  }
  const auto control = read();
  if (!control) return tl::unexpected(control.error());
  std::vector<ReplayView> views;
  control->each_replay([&](const ReplayTarget& target, const ReplayRecord& record) {
    if (queue.empty() || target.queue == queue) views.push_back(view_of(*control, target, record));
  });
  return views;
}

ReplayAnswer<ReplayView> ReplayDesk::change(const ReplayTarget& target, ReplayChange change,
                                            const std::string& by, Time now) {
  auto view = show(target);
  if (!view) return view;
  ReplayRecord& record = view->record;
  const std::string_view state = state_name(record, view->totals);
  static constexpr ReplayState kStates[] = {ReplayState::kPaused, ReplayState::kRunning,
                                            ReplayState::kCancelled};
  const ReplayState wanted = kStates[static_cast<std::size_t>(change)];
  if (record.state == wanted && state != "finished") return view;
  if (state == "finished" || state == "cancelled") {
    return problem(Kind::kConflict, "the replay \"" + target.name + "\" is " + std::string(state) +
                                        " and cannot be " + text_of(change));
  }
  if (change == ReplayChange::kResume) ++record.resumes;
  record.state = wanted;
  record.reason.clear();
  record.at = now;
  record.by = by;
  if (auto failed = put(target, record)) return tl::unexpected(*std::move(failed));
  return view;
}

// Another replay of the name would count the copies of this one as its own.
ReplayAnswer<ReplayView> ReplayDesk::remove(const ReplayTarget& target,
                                            std::chrono::milliseconds patience) {
  const auto follower = ControlFollower::open(log_, prefix_);
  if (!follower) return problem(Kind::kUnavailable, follower.error().message);
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const auto control = (*follower)->read();
    if (!control) return problem(Kind::kUnavailable, control.error().message);
    auto view = find_replay(**control, target);
    if (!view) return view;
    const std::string_view state = state_name(view->record, view->totals);
    if (state != "finished" && state != "cancelled") {
      return problem(Kind::kConflict, "the replay \"" + target.name + "\" is " +
                                          std::string(state) + ": cancel it first");
    }
    // Every partition with records to read says so. If none says anything, none has begun.
    const bool is_late = std::chrono::steady_clock::now() >= until;
    if (view->totals.finished || (is_late && !has_begun(*view))) {
      if (auto failed = put(target, std::nullopt)) return tl::unexpected(*std::move(failed));
      if (auto failed = remove_reports(target, view->reports))
        return tl::unexpected(*std::move(failed));
      return view;
    }
    if (is_late) {
      return problem(Kind::kConflict,
                     "the replay \"" + target.name + "\" is cancelled, but not all of its copies " +
                         "have ended: " + std::to_string(view->totals.running) + " run and " +
                         std::to_string(view->totals.waiting()) +
                         " wait to be ended by the owners of their partitions; see that workers " +
                         "of the queue run, and try again");
    }
    std::this_thread::sleep_for(kAskAgain);
  }
}

std::optional<ReplayProblem> ReplayDesk::remove_reports(
    const ReplayTarget& target, const Control::ReplayReports& reports) const {
  ControlClient client(log_, prefix_);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i]) continue;
    const Status gone =
        client.set(replay_report_key(target, static_cast<PartitionId>(i)), std::nullopt);
    if (!gone) return ReplayProblem{Kind::kUnavailable, gone.error().message};
  }
  return std::nullopt;
}

nlohmann::ordered_json to_json(const ReplayView& view, Time now, bool partitions) {
  const ReplayRecord& record = view.record;
  DeskJson json;
  json["id"] = view.target.name;
  json["queue"] = view.target.queue;
  json["state"] = state_name(record, view.totals);
  json["reason"] = record.reason.empty() ? DeskJson(nullptr) : DeskJson(record.reason);
  json["terms"] = to_json(record.terms);
  json["started_at"] = time_json(record.started_at);
  json["started_by"] = record.started_by;
  json["records"] = view.totals.records;
  json["removed"] = record.removed;
  json["oldest"] = time_json(record.oldest);
  add_counts(json, view.totals.counts, view.totals.running);
  add_rate(json, view, now);
  if (!partitions) return json;
  json["partitions"] = DeskJson::array();
  for (std::size_t i = 0; i < record.ranges.size(); ++i) {
    const ReplayProgress none{record.ranges[i].from, {}, 0, {}, false};
    const bool told = i < view.reports.size() && view.reports[i];
    const ReplayProgress& of = told ? *view.reports[i] : none;
    DeskJson part{{"partition", i},
                  {"from", record.ranges[i].from.value},
                  {"to", record.ranges[i].to.value},
                  {"next", of.next.value},
                  {"reported_at", time_json(of.at)},
                  {"done", of.done}};
    add_counts(part, of.counts, of.running);
    json["partitions"].push_back(std::move(part));
  }
  return json;
}

}  // namespace penstock
