#include "cli/jobs/jobs_change_command.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "cli/jobs/job_selection.h"
#include "cli/jobs/job_view.h"
#include "cli/program/table.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

struct Change {
  const char* op;
  const char* description;
  const char* default_state;  // the state to select if no --state is given; "" for any
  bool (*applies)(std::string_view state);  // to a job in this state, if no state is given
  bool reaches_unread;  // also chunks of a whole bulk that have not been read yet
};

constexpr std::size_t kTargetsAtOnce = 1000;

bool always(std::string_view) { return true; }

constexpr Change kCancel{"cancel", "Cancel a job, or every live job that the filters select", "",
                         is_live, true};
constexpr Change kRetry{"retry", "Run a job again, or every dead job that the filters select",
                        "dead", always, false};
constexpr Change kDelete{
    "delete", "Delete a live or kept job, or every job that the filters select", "", always, true};

class JobsChange : public Command {
 public:
  explicit JobsChange(const Change& change) : change_(change) {}

  JobSelection selection;
  bool dry_run = false;

  Exit run(Program& program) override {
    if (const Status usage = check_usage(); !usage)
      return program.usage_error(usage.error().message);
    // A dry run sends nothing, so it needs no brokers.
    const auto config = dry_run ? program.config() : program.config_with_brokers();
    if (!config) return program.usage_error(config.error().message);
    if (const Status opened = open_sender(program, *config); !opened) {
      return program.fail(opened.error().message);
    }
    const Status changed = change_jobs(program, *config);
    // Also after a failure, because commands that have been acknowledged take effect.
    if (changed || changed_ > 0 || !not_reached_.empty()) report(program.output());
    if (!changed) return program.fail(changed.error().message, failed_);
    return not_reached_.empty() ? Exit::kDone : program.fail(not_reached_);
  }

 private:
  Status check_usage() const {
    const JobFilter& filter = selection.filter;
    const bool filters = !filter.state.empty() || !filter.type.empty() || !filter.bulk.empty();
    if (!selection.id.empty() && filters) {
      return failure(
          "found both an ID and filters, expected an ID (and --account) or --state, --type, "
          "--bulk and --account");
    }
    if (selection.id.empty() && !filters && filter.account.empty()) {
      return failure(
          "found neither an ID nor a filter, expected an ID, --state, --type, --bulk or --account");
    }
    if (selection.id.size() > kMaxDerivedIdBytes) {
      return failure("found an ID of " + std::to_string(selection.id.size()) +
                     " bytes, expected at most " + std::to_string(kMaxDerivedIdBytes));
    }
    return {};
  }

  Status open_sender(Program& program, const Config& config) {
    if (dry_run) return {};
    auto sender = program.services().open_sender(config);
    if (!sender) return tl::unexpected(sender.error());
    sender_ = *std::move(sender);
    return {};
  }

  Status change_jobs(Program& program, const Config& config) {
    // Nothing has to be looked up, so this works without a running worker.
    if (!selection.id.empty() && !selection.filter.account.empty()) {
      return change_page(program.output(), {{selection.id, selection.filter.account}});
    }
    auto worker = worker_client(config, selection.http);
    if (!worker) return tl::unexpected(worker.error());
    return selection.id.empty() ? change_chosen(program.output(), *worker)
                                : change_one(program.output(), *worker);
  }

  // For an ID without an account: a running worker knows the account.
  Status change_one(Output& output, WorkerClient& worker) {
    const auto found = find_job(worker, selection);
    const std::string otherwise = " (with --account, no worker is asked)";
    if (!found) return give_up(found.error(), otherwise);
    const JobJson& job = *found->job;
    if (found->not_here.empty()) return change_page(output, {{job["id"], job["account"]}});
    return failure("account \"" + printable(text_of(job, "account")) +
                   "\" has a job with this ID, " + "but another account may have one too: " +
                   not_here_text(worker, selection.filter.queue,
                                 {found->not_here.begin(), found->not_here.end()}) +
                   "; name the account with --account" + otherwise);
  }

  Status give_up(const WorkerError& error, const std::string& otherwise = "") {
    failed_ = exit_of(error);
    return failure(error.message + otherwise);
  }

  Status change_chosen(Output& output, WorkerClient& worker) {
    JobFilter filter = selection.filter;
    if (filter.state.empty()) filter.state = change_.default_state;
    std::set<PartitionId> not_here;
    std::string after;
    do {
      auto page = worker.list(filter, after, WorkerClient::kMaxPage);
      if (!page) return give_up(page.error());
      not_here.insert(page->not_here.begin(), page->not_here.end());
      if (const Status changed = change_page(output, chosen_of(page->jobs)); !changed)
        return changed;
      after = std::move(page->after);
    } while (!after.empty());
    if (!not_here.empty()) {
      not_reached_ = not_here_text(worker, filter.queue, not_here) +
                     ": jobs there were not reached; run the same again for each worker that does, "
                     "with --http HOST:PORT";
    }
    const bool whole_bulk = !filter.bulk.empty() && filter.state.empty() && filter.type.empty();
    return whole_bulk && change_.reaches_unread ? change_unread(output, worker) : Status();
  }

  struct Target {
    std::string id;
    std::string account;
    auto operator<=>(const Target&) const = default;
  };

  // Chunks whose records no worker has read yet are in no list; but a command reaches them, because
  // it follows them in the topic. Their ids are derived from the bulk's id.
  Status change_unread(Output& output, WorkerClient& worker) {
    std::string after;
    do {
      auto page = worker.bulks(selection.filter, after, WorkerClient::kMaxPage);
      if (!page) return give_up(page.error());
      for (const JobJson& bulk : page->jobs) {
        if (bulk.value("id", "") != selection.filter.bulk) continue;
        if (const Status changed = change_unread_of(output, bulk); !changed) return changed;
      }
      after = std::move(page->after);
    } while (!after.empty());
    return {};
  }

  Status change_unread_of(Output& output, const JobJson& bulk) {
    const std::int64_t size = count_of(bulk, "size");
    const std::int64_t come = count_of(bulk, "admitted");
    std::vector<Target> targets;
    // Which chunks are missing is not known, so if any is, all are named that were not changed
    // before.
    for (std::int64_t index = 0; come < size && index < size; ++index) {
      const Target target{selection.filter.bulk + "/" + std::to_string(index), bulk["account"]};
      if (!changed_ids_.contains(target)) targets.push_back(target);
      if (targets.size() < kTargetsAtOnce && index + 1 < size) continue;
      if (const Status changed = change_page(output, targets); !changed) return changed;
      targets.clear();
    }
    return {};
  }

  static std::int64_t count_of(const JobJson& bulk, const char* name) {
    const auto found = bulk.find(name);
    return found != bulk.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
  }

  std::vector<Target> chosen_of(const std::vector<JobJson>& jobs) const {
    std::vector<Target> targets;
    for (const JobJson& job : jobs) {
      const bool applies =
          !selection.filter.state.empty() || change_.applies(job.value("state", ""));
      // WorkerClient has checked that both are texts.
      if (applies) targets.push_back({job["id"], job["account"]});
    }
    return targets;
  }

  // Only acknowledged commands are printed.
  Status change_page(Output& output, const std::vector<Target>& targets) {
    if (!dry_run) {
      for (const Target& target : targets) {
        const JobCommand command{change_.op, selection.filter.queue, target.account, target.id};
        if (const Status sent = sender_->send(command); !sent) return sent;
      }
      if (const Status finished = sender_->finish(); !finished) return finished;
    }
    Table table(output, {"ACCOUNT", "ID"});
    for (const Target& target : targets) show(output, table, target);
    changed_ += targets.size();
    if (change_.reaches_unread && !selection.filter.bulk.empty())
      changed_ids_.insert(targets.begin(), targets.end());
    return {};
  }

  void show(Output& output, Table& table, const Target& target) const {
    if (!output.is_json()) return table.add({{target.account}, {target.id}});
    output.json({{"op", change_.op},
                 {"id", target.id},
                 {"queue", selection.filter.queue},
                 {"account", target.account},
                 {"dry_run", dry_run}});
  }

  void report(Output& output) const {
    const std::string jobs = std::to_string(changed_) + (changed_ == 1 ? " job" : " jobs");
    output.note((dry_run ? "Would " : "Asked to ") + std::string(change_.op) + " " + jobs + ".");
  }

  const Change& change_;
  std::unique_ptr<CommandSender> sender_;  // null in a dry run
  std::uint64_t changed_ = 0;
  std::set<Target> changed_ids_;  // of a bulk
  Exit failed_ = Exit::kFailed;   // the exit status of a failure
  std::string not_reached_;       // the partitions that the worker does not own
};

void add_change_command(Program& program, CLI::App& jobs, const Change& change) {
  auto command = std::make_unique<JobsChange>(change);
  JobsChange& added = *command;
  CLI::App& app = program.add_command(jobs, change.op, change.description, std::move(command));
  app.add_option("ID", added.selection.id, "The job; without it, the filters select jobs");
  add_job_options(app, added.selection);
  add_filter_options(app, added.selection);
  app.add_flag("--dry-run", added.dry_run, "Only list the jobs");
}

}  // namespace

void add_jobs_cancel_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kCancel);
}

void add_jobs_retry_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kRetry);
}

void add_jobs_delete_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kDelete);
}

}  // namespace penstock
