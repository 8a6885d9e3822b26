#include "bench/failover/failover_bench.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/failover/failover_round.h"
#include "bench/rig/rounds.h"

namespace penstock {
namespace {

constexpr std::size_t kBytesPerMb = 1'000'000;
const std::vector<std::size_t> kStateMb{10, 100, 1'000};
// Nine joins and nine stops of the second of two workers, which has six of twelve partitions.
constexpr int kFailoverRounds = 9;
constexpr int kCrashes = 2;
// All partitions together, so that the state of two workers and the logs fit on a disk.
constexpr std::size_t kMostStateMb = 4'000;
constexpr std::size_t kMainMb = 100;  // the size for the members outside `sizes`, if it is measured

// In ms.
struct Moves {
  Rounds rounds;
  // The first join finds no copy of the state in the joiner's directory; the others find an old one.
  std::vector<double> first_join, joins, leaves;

  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> all = first_join;
    all.insert(all.end(), joins.begin(), joins.end());
    all.insert(all.end(), leaves.begin(), leaves.end());
    return all;
  }
};

struct Measured {
  std::size_t state_mb = 0;
  int partitions = 0;
  Moves alone, with_standbys;
  std::vector<double> in_place, machine, machine_standby;
};

double max_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

Status count(Moves& moves, std::vector<double>& into, const Result<HandOver>& moved) {
  if (!moved) return tl::unexpected(moved.error());
  if (moved->seconds.empty()) return failure("no partition moved");
  std::vector<double> ms, before;
  for (const double seconds : moved->seconds) ms.push_back(seconds * 1000);
  for (const double seconds : moved->undisturbed) before.push_back(seconds * 1000);
  moves.rounds.add(median(ms), median(before));
  into.insert(into.end(), ms.begin(), ms.end());
  return {};
}

Status count(std::vector<double>& into, const Result<double>& seconds) {
  if (!seconds) return tl::unexpected(seconds.error());
  into.push_back(*seconds);
  return {};
}

Status measure_moves(FailoverRound& round, Moves& moves, int rounds, const std::string& what,
                     const BenchOptions& options) {
  for (int i = 0; i < rounds; ++i) {
    std::vector<double>& joins = i == 0 ? moves.first_join : moves.joins;
    if (Status status = count(moves, joins, round.join()); !status) return status;
    const std::string join = moves.rounds.last();
    if (Status status = count(moves, moves.leaves, round.leave()); !status) return status;
    options.note(what + ", join (ms): " + join + "; stop: " + moves.rounds.last());
  }
  return {};
}

Status measure_crashes(FailoverRound& round, Measured& measured, int crashes,
                       const BenchOptions& options) {
  const std::string size = "failover: " + std::to_string(measured.state_mb) + " MB, ";
  for (int i = 0; i < crashes; ++i) {
    if (Status status = count(measured.machine, round.crash()); !status) return status;
    options.note(size + "machine: " + std::to_string(measured.machine.back()) + " s");
  }
  for (int i = 0; i < crashes; ++i) {
    if (Status status = round.restart(2, true); !status) return status;
    if (Status status = count(measured.machine_standby, round.crash()); !status) return status;
    options.note(size + "machine, with a standby: " +
                 std::to_string(measured.machine_standby.back()) + " s");
  }
  for (int i = 0; i < crashes; ++i) {
    if (Status status = count(measured.in_place, round.crash_in_place()); !status) return status;
    options.note(size + "in place: " + std::to_string(measured.in_place.back()) + " s");
  }
  return {};
}

Result<Measured> measure(const BenchOptions& options, std::size_t state_mb) {
  Measured measured;
  measured.state_mb = state_mb;
  measured.partitions = std::min<int>(
      options.partitions, static_cast<int>(kMostStateMb / std::max<std::size_t>(state_mb, 1)));
  const auto round =
      FailoverRound::make(options.properties, measured.partitions, state_mb * kBytesPerMb);
  if (!round) return tl::unexpected(round.error());
  const int rounds = options.rounds.value_or(kFailoverRounds);
  const std::string what = "failover: " + std::to_string(state_mb) + " MB";
  if (Status status = measure_moves(**round, measured.alone, rounds, what, options); !status)
    return tl::unexpected(status.error());
  if (Status status = (*round)->restart(1, true); !status) return tl::unexpected(status.error());
  if (Status status =
          measure_moves(**round, measured.with_standbys, rounds, what + ", with standbys", options);
      !status)
    return tl::unexpected(status.error());
  if (Status status = (*round)->restart(1, false); !status) return tl::unexpected(status.error());
  if (Status status = measure_crashes(**round, measured, std::min(rounds, kCrashes), options);
      !status)
    return tl::unexpected(status.error());
  return measured;
}

nlohmann::ordered_json report_of(const Moves& moves) {
  const std::vector<double> all = moves.all();
  return {{"handovers", all.size()},
          {"handover_p50_ms", median(all)},
          {"handover_max_ms", max_of(all)},
          {"first_join_max_ms", max_of(moves.first_join)},
          {"join_p50_ms", median(moves.joins)},
          {"join_max_ms", max_of(moves.joins)},
          {"stop_p50_ms", median(moves.leaves)},
          {"stop_max_ms", max_of(moves.leaves)}};
}

nlohmann::ordered_json report_of(const Measured& measured) {
  return {{"state_mb", measured.state_mb},
          {"partitions", measured.partitions},
          {"without_standbys", report_of(measured.alone)},
          {"with_standbys", report_of(measured.with_standbys)},
          {"in_place_max_s", max_of(measured.in_place)},
          {"machine_max_s", max_of(measured.machine)},
          {"machine_standby_max_s", max_of(measured.machine_standby)}};
}

double worst(const nlohmann::ordered_json& sizes, const char* member) {
  double most = 0;
  for (const auto& size : sizes) most = std::max(most, size.at(member).get<double>());
  return most;
}

}  // namespace

Result<nlohmann::ordered_json> bench_failover(const BenchOptions& options) {
  const std::vector<std::size_t> wanted = options.state_mb.empty() ? kStateMb : options.state_mb;
  nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
  nlohmann::ordered_json report;
  for (const std::size_t state_mb : wanted) {
    const auto measured = measure(options, state_mb);
    if (!measured) return tl::unexpected(measured.error());
    sizes.push_back(report_of(*measured));
    if (!report.empty() && state_mb != kMainMb) continue;
    report = measured->with_standbys.rounds.report(
        "failover", "ms", {{"state_mb", wanted}, {"partitions", options.partitions}});
    // A round is a join and a stop, each of which has been counted.
    report["settings"]["rounds"] = options.rounds.value_or(kFailoverRounds);
    for (const char* member : {"handover_p50_ms", "handover_max_ms"})
      report[member] = sizes.back()["with_standbys"][member];
  }
  report["in_place_max_s"] = worst(sizes, "in_place_max_s");
  report["machine_max_s"] = worst(sizes, "machine_max_s");
  report["machine_standby_max_s"] = worst(sizes, "machine_standby_max_s");
  report["sizes"] = std::move(sizes);
  return report;
}

}  // namespace penstock
