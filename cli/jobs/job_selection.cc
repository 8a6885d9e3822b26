#include "cli/jobs/job_selection.h"

#include <algorithm>
#include <vector>

#include "cli/jobs/moment.h"
#include "cli/program/output.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

constexpr std::array<std::string_view, 5> kLiveStates{"scheduled", "ready", "waiting", "running",
                                                      "retrying"};
constexpr std::array<std::string_view, 5> kTerminalStates{"succeeded", "dead", "cancelled",
                                                          "duplicate", "expired"};
constexpr std::size_t kMaxShownAccounts = 10;
constexpr std::size_t kMaxShownPartitions = 24;

std::string in_quotes(std::string_view text) { return '"' + printable(text) + '"'; }

std::vector<std::string> all_states() {
  std::vector<std::string> states(kLiveStates.begin(), kLiveStates.end());
  states.insert(states.end(), kTerminalStates.begin(), kTerminalStates.end());
  return states;
}

std::string list_of(const std::vector<std::string>& accounts) {
  std::string text;
  const std::size_t shown = std::min(accounts.size(), kMaxShownAccounts);
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + in_quotes(accounts[i]);
  const std::size_t more = accounts.size() - shown;
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

}  // namespace

std::string check_account(const std::string& account) {
  if (!account.empty() && account.size() <= kMaxAccountBytes) return {};
  return "found " + std::to_string(account.size()) + " bytes, expected 1 to " +
         std::to_string(kMaxAccountBytes);
}

bool is_live(std::string_view state) {
  return std::find(kLiveStates.begin(), kLiveStates.end(), state) != kLiveStates.end();
}

void add_job_options(CLI::App& app, JobSelection& selection, Asks asks) {
  app.add_option("--queue", selection.filter.queue, "The queue")->required()->type_name("Q");
  app.add_option("--account", selection.filter.account, "The account")
      ->check(check_account)
      ->type_name("A");
  add_remote_options(app, selection.worker, asks);
}

void add_filter_options(CLI::App& app, JobSelection& selection) {
  app.add_option("--state", selection.filter.state, "Jobs in this state")
      ->check(CLI::IsMember(all_states()));
  app.add_option("--type", selection.filter.type, "Jobs of this type")->type_name("T");
  app.add_option("--bulk", selection.filter.bulk, "Chunks of this bulk")->type_name("ID");
  app.add_option("--error", selection.filter.error, "Jobs whose reason contains this text")
      ->type_name("TEXT");
  app.add_option("--id-prefix", selection.filter.id_begins, "Jobs whose id begins like this")
      ->type_name("TEXT");
  app.add_option("--from", selection.filter.from,
                 "Created at this time or later: RFC 3339, ms, or an age (2h)")
      ->transform(as_past_moment())
      ->type_name("TIME");
  app.add_option("--to", selection.filter.to, "Created before this time")
      ->transform(as_past_moment())
      ->type_name("TIME");
}

FromWorker<JobLookup> find_job(WorkerClient& worker, const JobSelection& selection) {
  const JobFilter& filter = selection.filter;
  auto lookup = worker.find(filter.queue, selection.id, filter.account);
  if (!lookup || lookup->job) return lookup;
  const std::string job = "job " + in_quotes(selection.id);
  if (!lookup->accounts.empty()) {
    return tl::unexpected(WorkerError{{job + " exists under several accounts: " +
                                       list_of(lookup->accounts) + "; name one with --account"}});
  }
  const std::string whose =
      filter.account.empty() ? "" : " of account " + in_quotes(filter.account);
  const std::string none = "there is no " + job + whose;
  // Not reported as missing, because the job may be in one of these partitions.
  if (!lookup->not_here.empty()) {
    return tl::unexpected(WorkerError{
        {none + " in the partitions that were asked: " +
         not_here_text(worker, filter.queue, {lookup->not_here.begin(), lookup->not_here.end()}) +
         "; ask the worker that does, with --http HOST:PORT"}});
  }
  return tl::unexpected(WorkerError{
      {none + " in queue " + in_quotes(filter.queue) + " (or it ended and is no longer kept)"},
      true});
}

Exit exit_of(const WorkerError& error) { return error.not_found ? Exit::kNotFound : Exit::kFailed; }

std::string not_here_text(const WorkerClient& worker, std::string_view queue,
                          const std::set<PartitionId>& partitions) {
  std::string text = "the worker at " + worker.name() + " does not own partition";
  text += partitions.size() == 1 ? " " : "s ";
  std::size_t shown = 0;
  for (const PartitionId partition : partitions) {
    if (shown == kMaxShownPartitions) break;
    text += (shown++ > 0 ? ", " : "") + std::to_string(partition);
  }
  if (partitions.size() > shown)
    text += " and " + std::to_string(partitions.size() - shown) + " more";
  return text + " of queue " + in_quotes(queue);
}

}  // namespace penstock
