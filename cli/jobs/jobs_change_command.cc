#include "cli/jobs/jobs_change_command.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>

#include "cli/jobs/job_change.h"
#include "cli/jobs/job_selection.h"
#include "cli/jobs/job_view.h"
#include "cli/jobs/moment.h"
#include "cli/jobs/paced_sender.h"
#include "cli/program/stoppable_wait.h"
#include "cli/program/table.h"
#include "cli/remote/remote_sender.h"
#include "consumer/policy/duration.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

constexpr std::size_t kTargetsAtOnce = 1000;
constexpr const char* kUsualChangeRate = "1000/s";

struct ChangeOptions {
  JobSelection selection;
  bool dry_run = false, yes = false;
  std::string rate = kUsualChangeRate;
  std::string after;       // where the selection goes on
  std::string run_at, in;  // of reschedule
};

class JobsChange : public Command {
 public:
  explicit JobsChange(const JobChange& change) : change_(change) {}

  ChangeOptions options;

  Exit run(Program& program) override {
    if (const Status usage = read_usage(); !usage)
      return program.usage_error(usage.error().message);
    // Before the threads of the sender.
    if (selection().id.empty()) stop_ = std::make_unique<StoppableWait>();
    auto reach = find_way(program);
    if (!reach) return program.usage_error(reach.error().message);
    if (const Status opened = open_the_sender(program, *reach); !opened)
      return program.fail(opened.error().message);
    table_.emplace(program.output(), std::vector<std::string>{"ACCOUNT", "ID"});
    const Status changed = change_jobs(program.output(), *reach);
    table_.reset();
    // Also after a failure, because commands that have been acknowledged take effect.
    if (changed || changed_ > 0 || !not_reached_.empty()) report(program.output());
    if (!changed) return program.fail(changed.error().message + continuation(), failed_);
    return not_reached_.empty() ? Exit::kDone : program.fail(not_reached_);
  }

 private:
  [[nodiscard]] const JobSelection& selection() const { return options.selection; }

  Status read_usage() {
    JobFilter filters = selection().filter;
    filters.account.clear();  // it also tells which job with this ID
    const bool by_id = !selection().id.empty();
    if (by_id && (filters.selects() || !options.after.empty())) {
      return failure(
          "found both an ID and filters, expected an ID (and --account) or --state, --type, "
          "--bulk, --account and the like");
    }
    const bool all = !by_id && !selection().filter.selects();
    if (all && change_.erases && !options.yes && !options.dry_run) {
      return failure(
          "found neither an ID nor a filter, expected an ID, --state, --type, --bulk, "
          "--account or the like, or --yes to " +
          std::string(change_.op) + " " + change_.selects + " of the queue");
    }
    if (selection().id.size() > kMaxDerivedIdBytes) {
      return failure("found an ID of " + std::to_string(selection().id.size()) +
                     " bytes, expected at most " + std::to_string(kMaxDerivedIdBytes));
    }
    const auto rate = parse_rate(options.rate);
    if (!rate) return failure("--rate: " + rate.error().message);
    rate_ = *rate;
    return read_time();
  }

  Status read_time() {
    if (&change_ != &kRescheduleJobs) return {};
    if (options.run_at.empty() == options.in.empty())
      return failure("expected either --run-at TIME or --in DURATION");
    if (!options.run_at.empty()) {
      const auto moment = moment_ms(options.run_at);
      if (!moment) return failure("--run-at: " + moment.error().message);
      run_at_ms_ = *moment;
      return {};
    }
    const auto in = parse_duration(options.in);
    if (!in) return failure("--in: " + in.error().message);
    // Rounded up, so that no job starts early.
    run_at_ms_ = to_ms(std::chrono::ceil<Duration>(std::chrono::system_clock::now()) + *in);
    return {};
  }

  // A dry run sends nothing, so it needs no brokers.
  Result<Reach> find_way(Program& program) const {
    if (!options.dry_run) return find_reach(program, selection().worker);
    auto config = program.config();
    if (!config) return tl::unexpected(config.error());
    return Reach{*std::move(config), std::nullopt};
  }

  Status open_the_sender(Program& program, const Reach& reach) {
    if (options.dry_run) return {};
    auto sender = open_command_sender(program, reach, selection().worker);
    if (!sender) return tl::unexpected(sender.error());
    sender_ = *std::move(sender);
    paced_.emplace(*sender_, rate_, [this](std::chrono::milliseconds at_most) {
      return !stop_ || stop_->wait(at_most);
    });
    return {};
  }

  Status change_jobs(Output& output, Reach& reach) {
    // Nothing has to be looked up, so this works without a running worker.
    const bool is_certain = !selection().id.empty() && !selection().filter.account.empty();
    if (is_certain && !reach.worker)
      return change_page(output, {{selection().id, selection().filter.account}});
    auto worker = worker_client(reach.config, selection().worker);
    if (!worker) {
      failed_ = Exit::kUsage;
      return tl::unexpected(worker.error());
    }
    return selection().id.empty() ? change_chosen(output, *worker) : change_one(output, *worker);
  }

  // For an ID without an account: a running worker knows the account.
  Status change_one(Output& output, WorkerClient& worker) {
    const auto found = find_job(worker, selection());
    const std::string otherwise = " (with --account and brokers, no worker is asked)";
    if (!found) return give_up(found.error(), otherwise);
    const JobJson& job = *found->job;
    if (found->not_here.empty()) return change_page(output, {{job["id"], job["account"]}});
    return failure("account \"" + printable(text_of(job, "account")) +
                   "\" has a job with this ID, " + "but another account may have one too: " +
                   not_here_text(worker, selection().filter.queue,
                                 {found->not_here.begin(), found->not_here.end()}) +
                   "; name the account with --account" + otherwise);
  }

  Status give_up(const WorkerError& error, const std::string& otherwise = "") {
    failed_ = exit_of(error);
    return failure(error.message + otherwise);
  }

  Status change_chosen(Output& output, WorkerClient& worker) {
    JobFilter filter = selection().filter;
    if (filter.state.empty()) filter.state = change_.default_state;
    std::set<PartitionId> not_here;
    at_ = options.after;
    do {
      auto page = worker.list(filter, at_, WorkerClient::kMaxPage);
      if (!page) return give_up(page.error());
      not_here.insert(page->not_here.begin(), page->not_here.end());
      if (const Status changed = change_page(output, chosen_of(page->jobs)); !changed)
        return changed;
      at_ = std::move(page->after);
    } while (!at_.empty());
    if (!not_here.empty()) {
      not_reached_ = not_here_text(worker, filter.queue, not_here) +
                     ": jobs there were not reached; run the same again for each worker that does, "
                     "with --http HOST:PORT";
    }
    return filter.bulk.empty() ? Status() : change_unread(output, worker);
  }

  struct Target {
    std::string id;
    std::string account;
    auto operator<=>(const Target&) const = default;
  };

  // Whether the filters select a bulk as a whole, and not some of its chunks.
  bool whole_bulk() const {
    JobFilter others = selection().filter;
    others.bulk.clear();
    others.account.clear();
    return !selection().filter.bulk.empty() && !others.selects() && change_.reaches_unread;
  }

  // Chunks whose records no worker has read yet are in no list; but a command reaches them, because
  // it follows them in the topic. Their ids are derived from the bulk's id.
  Status change_unread(Output& output, WorkerClient& worker) {
    std::string after;
    bool exists = changed_ > 0;
    do {
      auto page = worker.bulks(selection().filter, after, WorkerClient::kMaxPage);
      if (!page) return give_up(page.error());
      for (const JobJson& bulk : page->jobs) {
        if (bulk.value("id", "") != selection().filter.bulk) continue;
        exists = true;
        if (!whole_bulk()) continue;
        if (const Status changed = change_unread_of(output, bulk); !changed) return changed;
      }
      exists = exists || !page->not_here.empty();  // or may
      after = std::move(page->after);
    } while (!after.empty());
    if (exists) return {};
    failed_ = Exit::kNotFound;
    return failure("there is no bulk \"" + printable(selection().filter.bulk) + "\" in queue \"" +
                   printable(selection().filter.queue) + "\" (or it ended and is no longer kept)");
  }

  Status change_unread_of(Output& output, const JobJson& bulk) {
    const std::int64_t size = count_member(bulk, "size");
    const std::int64_t come = count_member(bulk, "admitted");
    std::vector<Target> targets;
    // Which chunks are missing is not known, so if any is, all are named that were not changed
    // before.
    for (std::int64_t index = 0; come < size && index < size; ++index) {
      const Target target{selection().filter.bulk + "/" + std::to_string(index), bulk["account"]};
      if (!changed_ids_.contains(target)) targets.push_back(target);
      if (targets.size() < kTargetsAtOnce && index + 1 < size) continue;
      if (const Status changed = change_page(output, targets); !changed) return changed;
      targets.clear();
    }
    return {};
  }

  std::vector<Target> chosen_of(const std::vector<JobJson>& jobs) const {
    std::vector<Target> targets;
    for (const JobJson& job : jobs) {
      const bool applies =
          !selection().filter.state.empty() || change_.applies(text_member(job, "state"));
      // WorkerClient has checked that both are texts.
      if (applies) targets.push_back({job["id"], job["account"]});
    }
    return targets;
  }

  // Only acknowledged commands are printed.
  Status change_page(Output& output, const std::vector<Target>& targets) {
    std::vector<JobCommand> commands;
    for (const Target& target : targets)
      commands.push_back(
          {change_.op, selection().filter.queue, target.account, target.id, run_at_ms_});
    const auto on_sent = [&](std::span<const JobCommand> sent) {
      for (const JobCommand& command : sent) show(output, command);
      table_->flush();
      changed_ += sent.size();
    };
    if (options.dry_run) {
      on_sent(commands);
    } else {
      const auto sent = paced_->send(commands, on_sent);
      if (!sent) return tl::unexpected(sent.error());
      if (!*sent) return failure("stopped before all jobs were reached");
    }
    if (whole_bulk()) changed_ids_.insert(targets.begin(), targets.end());
    return {};
  }

  void show(Output& output, const JobCommand& command) {
    if (!output.is_json()) return table_->add({{command.account}, {command.id}});
    nlohmann::ordered_json object{{"op", change_.op},
                                  {"id", command.id},
                                  {"queue", command.queue},
                                  {"account", command.account},
                                  {"dry_run", options.dry_run}};
    if (run_at_ms_) object["run_at"] = *run_at_ms_;
    output.json(object);
  }

  void report(Output& output) const {
    const std::string jobs = std::to_string(changed_) + (changed_ == 1 ? " job" : " jobs");
    output.note((options.dry_run ? "Would " : "Asked to ") + std::string(change_.op) + " " + jobs +
                ".");
  }

  // How to go on after the page that was not completed.
  std::string continuation() const {
    if (changed_ == 0 || !selection().id.empty() || at_.empty()) return "";
    return "; to go on from there, run the same command with --after '" + printable(at_) + "'";
  }

  const JobChange& change_;
  Rate rate_{};
  std::optional<std::int64_t> run_at_ms_;
  std::unique_ptr<StoppableWait> stop_;    // there if several jobs may be changed
  std::unique_ptr<CommandSender> sender_;  // null in a dry run
  std::optional<PacedSender> paced_;       // likewise
  std::optional<Table> table_;
  std::string at_;  // the page of the selection
  std::uint64_t changed_ = 0;
  std::set<Target> changed_ids_;  // of a bulk
  Exit failed_ = Exit::kFailed;   // the exit status of a failure
  std::string not_reached_;       // the partitions that the worker does not own
};

void add_change_command(Program& program, CLI::App& jobs, const JobChange& change) {
  auto command = std::make_unique<JobsChange>(change);
  ChangeOptions& options = command->options;
  CLI::App& app = program.add_command(jobs, change.op, change.description, std::move(command));
  app.add_option("ID", options.selection.id, "The job; without it, the filters select jobs");
  add_job_options(app, options.selection, Asks::kWithoutBrokers);
  add_filter_options(app, options.selection);
  if (&change == &kRescheduleJobs) {
    app.add_option("--run-at", options.run_at, "The new time (RFC 3339, or ms since 1970)")
        ->type_name("TIME");
    app.add_option("--in", options.in, "The new time, from now (30s, 5m, 12h)")
        ->type_name("DURATION");
  }
  app.add_option("--rate", options.rate, "How many jobs are changed at most, such as 100/s")
      ->capture_default_str()
      ->type_name("N/s");
  app.add_option("--after", options.after, "Go on where an earlier command stopped, as it said")
      ->type_name("TEXT");
  if (change.erases)
    app.add_flag("--yes", options.yes,
                 std::string("Without an ID or a filter: ") + change.op + " " + change.selects +
                     " of the queue");
  app.add_flag("--dry-run", options.dry_run, "Only list the jobs");
}

}  // namespace

void add_jobs_cancel_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kCancelJobs);
}

void add_jobs_retry_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kRetryJobs);
}

void add_jobs_reschedule_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kRescheduleJobs);
}

void add_jobs_delete_command(Program& program, CLI::App& jobs) {
  add_change_command(program, jobs, kDeleteJobs);
}

}  // namespace penstock
