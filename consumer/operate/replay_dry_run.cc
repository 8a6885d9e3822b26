#include "consumer/operate/replay_dry_run.h"

#include <absl/container/flat_hash_set.h>

#include <nlohmann/json.hpp>

#include "consumer/replay/replay_filter.h"
#include "state/rows/digest.h"
#include "topics/topic_scan.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr std::int64_t kTellEvery = 10'000;

// Counts what the filter says of each record.
class Counting {
 public:
  Counting(ReplayDryRun& run, const ReplayTerms& terms, const std::string& source)
      : run_(run), filter_(terms, source) {}

  void look_at(PartitionId partition, const LogRecord& record) {
    ++run_.scanned;
    const ReplayFilter::Verdict verdict = filter_.judge(record, partition);
    if (verdict.left_out) ++run_.left_out[static_cast<std::size_t>(*verdict.left_out)];
    if (!verdict.matches) return;
    ++run_.matched;
    const std::string account(verdict.job.account);
    if (is_repeat(account, verdict.of)) {
      ++run_.left_out[static_cast<std::size_t>(LeftOut::kRepeat)];
      return;
    }
    ++run_.copies;
    count(run_.types, std::string(verdict.job.type), ReplayDryRun::kMaxTypes, run_.other_types);
    count(run_.accounts, account, ReplayDryRun::kMaxAccounts, run_.other_accounts);
    if (run_.samples.size() < ReplayDryRun::kMaxSamples) add_sample(verdict);
  }

 private:
  bool is_repeat(const std::string& account, const std::string& of) {
    const Digest digest = identity_digest(account, of);
    if (seen_.size() >= ReplayDryRun::kMaxIds) return seen_.contains(digest);
    return !seen_.insert(digest).second;
  }

  static void count(std::map<std::string, std::int64_t>& counts, const std::string& name,
                    std::size_t most, std::int64_t& others) {
    const auto found = counts.find(name);
    if (found != counts.end()) {
      ++found->second;
    } else if (counts.size() < most) {
      counts.emplace(name, 1);
    } else {
      ++others;
    }
  }

  void add_sample(const ReplayFilter::Verdict& verdict) {
    run_.samples.push_back({verdict.of, std::string(verdict.job.type),
                            std::string(verdict.job.account), verdict.source,
                            excerpt(verdict.job.args, ReplayDryRun::kMaxSampleBytes)});
  }

  ReplayDryRun& run_;
  ReplayFilter filter_;
  absl::flat_hash_set<Digest, DigestHash> seen_;
};

tl::unexpected<ReplayProblem> too_much(const std::string& what) {
  return tl::unexpected(ReplayProblem{
      ReplayProblem::Kind::kBad, what + ": narrow the range, or use `penstock replay --dry-run`"});
}

tl::unexpected<ReplayProblem> away(std::string message) {
  return tl::unexpected(ReplayProblem{ReplayProblem::Kind::kUnavailable, std::move(message)});
}

}  // namespace

ReplayAnswer<ReplayDryRun> dry_run(ReplayDesk& desk, const std::string& queue,
                                   const ReplayTerms& terms, const DryRunBounds& bounds) {
  ReplayDryRun run;
  auto ranges = desk.ranges(queue, terms);
  if (!ranges) return tl::unexpected(ranges.error());
  run.ranges = *std::move(ranges);
  std::vector<ScanRange> scans;
  for (const ReplayRange& range : run.ranges.ranges) {
    scans.push_back({range.from, range.to});
    run.records += range.records();
  }
  if (bounds.records && run.records > *bounds.records) {
    return too_much("the range has " + std::to_string(run.records) + " records, more than the " +
                    std::to_string(*bounds.records) + " that are read here");
  }
  auto session = desk.log().open({.client_id = "penstock-replay", .instance_id = {}});
  if (!session) return away(session.error().message);
  const std::string source = desk.source(queue, terms);
  Counting counting(run, terms, source);
  TopicScan scan(**session, source, scans);
  const auto begun = std::chrono::steady_clock::now();
  const auto is_late = [&] {
    return bounds.time && std::chrono::steady_clock::now() - begun > *bounds.time;
  };
  const Status read = scan.run(
      [&](PartitionId partition, const LogRecord& record) {
        counting.look_at(partition, record);
        if (bounds.told && run.scanned % kTellEvery == 0) bounds.told(run.scanned, run.records);
        return true;
      },
      [&] { return is_late() || (bounds.stopped && bounds.stopped()); });
  if (!read && is_late()) {
    return too_much("reading the range takes longer than the " +
                    std::to_string(bounds.time->count()) + " ms that it may take here");
  }
  if (!read) return away(read.error().message);
  for (const ScanGap& gap : scan.gaps()) {
    if (gap.why == ScanGap::Why::kRemoved)
      run.left_out[static_cast<std::size_t>(LeftOut::kLost)] += gap.to.value - gap.from.value;
  }
  return run;
}

nlohmann::ordered_json to_json(const ReplayDryRun& run) {
  nlohmann::ordered_json json{{"dry_run", true},        {"records", run.records},
                              {"scanned", run.scanned}, {"matched", run.matched},
                              {"copies", run.copies},   {"removed", run.ranges.removed}};
  json["oldest"] = run.ranges.oldest == Time{}
                       ? nlohmann::ordered_json(nullptr)
                       : nlohmann::ordered_json(format_rfc3339(run.ranges.oldest));
  json["left_out"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kLeftOutReasons; ++i) {
    if (run.left_out[i] > 0)
      json["left_out"][std::string(to_string(static_cast<LeftOut>(i)))] = run.left_out[i];
  }
  json["types"] = run.types;
  json["other_types"] = run.other_types;
  json["accounts"] = run.accounts;
  json["other_accounts"] = run.other_accounts;
  json["samples"] = nlohmann::ordered_json::array();
  for (const ReplayDryRun::Sample& sample : run.samples) {
    json["samples"].push_back({{"id", sample.id},
                               {"type", sample.type},
                               {"account", sample.account},
                               {"source", sample.source},
                               {"args", sample.args}});
  }
  return json;
}

}  // namespace penstock
