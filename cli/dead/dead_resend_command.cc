#include "cli/dead/dead_resend_command.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/dead/record_sender.h"
#include "api/dead/resend.h"
#include "cli/dead/dead_selection.h"
#include "cli/dead/repair_program.h"
#include "cli/program/progress.h"
#include "cli/remote/json_text.h"
#include "cli/remote/reach.h"
#include "cli/remote/worker_client.h"

namespace penstock {
namespace {

constexpr std::size_t kMaxShownFailures = 20;
constexpr std::uint64_t kMaxResentAtOnce = 1000;

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
  std::string through;
  bool dry_run = false;

  Exit run(Program& program) override {
    auto reach = find_reach(program, selection.worker);
    if (!reach) return program.usage_error(reach.error().message);
    if (const auto good = selection.filter(); !good)
      return program.usage_error(good.error().message);
    return reach->worker ? run_there(program, *reach->worker)
                         : run_in_kafka(program, reach->config);
  }

 private:
  Exit run_in_kafka(Program& program, const Config& config) {
    Exit exit = Exit::kFailed;
    auto topic = DeadTopic::open(program, config, selection, exit);
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

  Exit run_there(Program& program, WorkerClient& worker) {
    if (!through.empty()) {
      return program.usage_error(
          "--through: no brokers are given, and a worker runs no programs for others: use "
          "--brokers");
    }
    Output& output = program.output();
    ResendCounts counts;
    std::string after;
    {
      Progress progress(output, "records", std::nullopt);
      do {
        auto body = selection.body();
        if (dry_run) body["dry_run"] = true;
        if (!after.empty()) body["after"] = after;
        if (selection.limit)
          body["limit"] = std::min<std::uint64_t>(
              kMaxResentAtOnce, static_cast<std::uint64_t>(*selection.limit) - counts.listed);
        const auto page =
            worker.send("POST", queue_target(selection.queue, "/dead/resend"), body.dump());
        if (!page) {
          report(output, counts);
          return fail(program, page.error());
        }
        add(counts, *page);
        for (const auto& error : array_member(*page, "errors"))
          note_failure(output, text_of(error, "partition"), text_of(error, "offset"),
                       text_of(error, "reason"), text_of(error, "detail"));
        after = text_member(*page, "after");
        progress.update(counts.listed);
      } while (!after.empty() &&
               (!selection.limit || counts.listed < static_cast<std::uint64_t>(*selection.limit)));
    }
    report(output, counts);
    if (!after.empty()) output.note("There are more: give a larger --limit.");
    return end(program, counts);
  }

  static void add(ResendCounts& counts, const nlohmann::ordered_json& page) {
    const auto count = [&page](const char* name) {
      return static_cast<std::uint64_t>(count_member(page, name));
    };
    counts.listed += count("listed");
    counts.sent += count("sent");
    counts.already += count("already");
    counts.left_out += count("left_out");
    for (const auto& [reason, number] : object_member(page, "failed").items())
      counts.failed[reason] += number.get<std::uint64_t>();
  }

  Exit resend(Program& program, DeadTopic& topic, RecordSender* sender, RepairProgram* repairing) {
    Output& output = program.output();
    StandingAsker asker(worker_client(topic.config, selection.worker), selection.queue);
    Resend::Parts parts{.sender = sender,
                        .ask = [&](const std::string& account,
                                   const std::string& id) { return asker.ask(account, id); },
                        .on_failed =
                            [&](const DeadEntry& entry, const NotSent& why) {
                              note_failure(output, std::to_string(entry.partition),
                                           std::to_string(entry.offset.value), why.reason,
                                           why.detail);
                            }};
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
    return end(program, resend.counts());
  }

  static Exit end(Program& program, const ResendCounts& counts) {
    const std::uint64_t failed = counts.all_failed();
    if (failed == 0) return Exit::kDone;
    return program.fail(std::to_string(failed) + (failed == 1 ? " record was" : " records were") +
                        " not sent; repair what was wrong, for example with --through");
  }

  void note_failure(Output& output, const std::string& partition, const std::string& offset,
                    const std::string& reason, const std::string& detail) {
    if (++failures_ == kMaxShownFailures + 1) output.note("Further records are only counted.");
    if (failures_ > kMaxShownFailures) return;
    output.note("partition " + partition + ", offset " + offset + ": " + printable(reason) + ": " +
                printable(detail));
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
  app.add_flag("--dry-run", resend.dry_run, "Only count");
}

}  // namespace penstock
