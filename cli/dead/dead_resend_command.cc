#include "cli/dead/dead_resend_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/dead/record_sender.h"
#include "api/dead/resend.h"
#include "cli/dead/dead_selection.h"
#include "cli/dead/repair_program.h"
#include "cli/jobs/job_view.h"
#include "cli/program/progress.h"
#include "cli/program/worker_client.h"

namespace penstock {
namespace {

constexpr std::size_t kMaxShownFailures = 20;

// Asks a worker what the queue has under an id. After the first question that it cannot answer, it
// is asked no more: each would take as long.
class StandingAsker {
 public:
  StandingAsker(Result<WorkerClient> worker, std::string queue)
      : worker_(std::move(worker)), queue_(std::move(queue)) {
    if (!worker_) silence_ = worker_.error().message;
  }

  Standing ask(const std::string& account, const std::string& id) {
    if (!silence_.empty()) return Standing::kUnknown;
    const auto found = worker_->find(queue_, id, account);
    if (!found) {
      silence_ = found.error().message;
      return Standing::kUnknown;
    }
    if (found->job)
      return text_of(*found->job, "state") == "dead" ? Standing::kDead : Standing::kThere;
    if (found->not_here.empty()) return Standing::kNone;
    ++elsewhere_;
    return Standing::kUnknown;
  }

  void note(Output& output) const {
    constexpr const char* kEffect =
        ": each dead job was sent as a `retry` and, in case it is no longer kept, as its record";
    if (!silence_.empty()) {
      output.note("No worker was asked what the queue still has (" + silence_ + ")" + kEffect +
                  ".");
    } else if (elsewhere_ > 0) {
      output.note("The worker does not own the partitions of " + std::to_string(elsewhere_) +
                  " records" + kEffect + ".");
    }
  }

 private:
  Result<WorkerClient> worker_;
  const std::string queue_;
  std::string silence_;  // why it is not asked
  std::uint64_t elsewhere_ = 0;
};

class DeadResend : public Command {
 public:
  DeadSelection selection;
  std::string http, through;
  bool dry_run = false;

  Exit run(Program& program) override {
    Exit exit = Exit::kFailed;
    auto topic = DeadTopic::open(program, selection, exit);
    if (!topic) return exit;
    std::unique_ptr<RepairProgram> repairing;
    if (!through.empty()) {
      auto started = RepairProgram::start(through, selection.queue, program.output());
      if (!started) return program.usage_error("--through: " + started.error().message);
      repairing = *std::move(started);
    }
    std::unique_ptr<RecordSender> sender;
    if (!dry_run) {
      auto opened = RecordSender::open(*topic->log, topic->names.topic());
      if (!opened) return program.fail(opened.error().message);
      sender = *std::move(opened);
    }
    return resend(program, *topic, sender.get(), repairing.get());
  }

 private:
  Exit resend(Program& program, DeadTopic& topic, RecordSender* sender, RepairProgram* repairing) {
    Output& output = program.output();
    StandingAsker asker(worker_client(topic.config, http), selection.queue);
    Resend::Parts parts{.sender = sender,
                        .ask = [&](const std::string& account,
                                   const std::string& id) { return asker.ask(account, id); },
                        .on_failed = [&](const DeadEntry& entry,
                                         const NotSent& why) { note_failure(output, entry, why); }};
    // Without the queue in the config, its window is not known here.
    if (const QueuePolicy* const policy = topic.config.queue(selection.queue)) {
      parts.remembers_from =
          std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) -
          policy->dedup_window;
    }
    if (repairing) parts.repair = [&](const DeadEntry& entry) { return repairing->repair(entry); };
    Resend resend(std::move(parts));
    Result<DeadPage> page;
    {
      Progress progress(output, "records", std::nullopt);
      page = topic.read(selection, [&](const DeadEntry& entry) {
        progress.update(resend.counts().listed);
        return resend.take(entry);
      });
    }
    Status ended = page ? Status() : Status(failure(page.error().message));
    if (repairing && ended) ended = repairing->finish();
    const Status finished = resend.finish();
    if (ended) ended = finished;
    report(output, resend.counts());
    if (resend.counts().sent > 0) asker.note(output);
    if (page) note_rest(output, *page, "There are more: give a larger --limit.");
    if (!ended) return program.fail(ended.error().message);
    const std::uint64_t failed = resend.counts().all_failed();
    if (failed == 0) return Exit::kDone;
    return program.fail(std::to_string(failed) + (failed == 1 ? " record was" : " records were") +
                        " not sent; repair what was wrong, for example with --through");
  }

  void note_failure(Output& output, const DeadEntry& entry, const NotSent& why) {
    if (++failures_ == kMaxShownFailures + 1) output.note("Further records are only counted.");
    if (failures_ > kMaxShownFailures) return;
    output.note("partition " + std::to_string(entry.partition) + ", offset " +
                std::to_string(entry.offset.value) + ": " + why.reason + ": " +
                printable(why.detail));
  }

  void report(Output& output, const ResendCounts& counts) const {
    if (output.is_json()) {
      auto json = resend_json(counts);
      json["queue"] = selection.queue;
      json["dry_run"] = dry_run;
      return output.json(json);
    }
    std::string text = (dry_run ? "Would send " : "Sent ") + std::to_string(counts.sent) + " of " +
                       std::to_string(counts.listed) +
                       (counts.listed == 1 ? " dead record" : " dead records");
    if (counts.already > 0)
      text +=
          "; " + std::to_string(counts.already) + " not needed, because the queue knows their ids";
    if (counts.left_out > 0) text += "; " + std::to_string(counts.left_out) + " left out";
    if (counts.all_failed() > 0) {
      std::string reasons;
      for (const auto& [reason, count] : counts.failed)
        reasons += (reasons.empty() ? "" : ", ") + reason + " " + std::to_string(count);
      text += "; " + std::to_string(counts.all_failed()) + " failed (" + reasons + ")";
    }
    output.note(text + ".");
  }

  std::size_t failures_ = 0;
};

}  // namespace

void add_dead_resend_command(Program& program, CLI::App& dead) {
  auto command = std::make_unique<DeadResend>();
  DeadResend& resend = *command;
  CLI::App& app = program.add_command(
      dead, "resend", "Send dead records back to their queue, each once", std::move(command));
  resend.selection.add_options(app);
  app.add_option("--limit", resend.selection.limit, "Maximum number of records (default: all)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--through", resend.through,
                 "A program that repairs each record, or leaves it out: exec:/path arg...")
      ->type_name("SPEC");
  app.add_option("--http", resend.http, "A running worker (by default the config's http.listen)")
      ->type_name("HOST:PORT");
  app.add_flag("--dry-run", resend.dry_run, "Only count");
}

}  // namespace penstock
