#include "cli/overview/accounts_command.h"

#include <memory>

#include "cli/overview/watched_list.h"
#include "cli/program/table.h"
#include "cli/remote/json_text.h"

namespace penstock {
namespace {

constexpr int kDefaultAccounts = 20, kMaxAccounts = 1000;
constexpr const char* kByLine = "line";

struct AccountsTop final : WatchedList {
  std::vector<std::string> queues;
  std::string by = kByLine;
  int limit = kDefaultAccounts;

 private:
  Exit list(Program& program, WorkerClient& worker) const override {
    std::vector<std::string> asked = queues;
    if (asked.empty()) {
      const auto all = worker.get("/v1/queues");
      if (!all) return fail(program, all.error());
      for (const JobJson& queue : array_member(*all, "queues"))
        asked.push_back(text_of(queue, "queue"));
    }
    Table table(program.output(), {"QUEUE", "ACCOUNT", "JOBS", "RUNNING", "OLDEST"});
    for (const std::string& queue : asked) {
      TargetQuery query;
      query.add("limit", std::to_string(limit));
      // A worker of an older version knows this order only, and not the parameter.
      if (by != kByLine) query.add("by", by);
      const auto body = worker.get(queue_target(queue, "/accounts") + query.text());
      if (!body) return fail(program, body.error());
      for (const JobJson& account : array_member(*body, "accounts"))
        show(program.output(), table, queue, account);
    }
    return Exit::kDone;
  }

  static void show(Output& output, Table& table, const std::string& queue, const JobJson& account) {
    if (!output.is_json()) {
      return table.add({{queue},
                        {text_of(account, "account")},
                        {text_of(account, "jobs")},
                        {text_of(account, "running")},
                        {age_text(count_member(account, "oldest_ms"))}});
    }
    JobJson object{{"queue", queue}};
    for (const auto& [name, value] : account.items()) object[name] = value;
    output.json(object);
  }
};

}  // namespace

void add_accounts_command(Program& program) {
  CLI::App& accounts = program.add_group("accounts", "Show accounts");
  auto command = std::make_unique<AccountsTop>();
  AccountsTop& top = *command;
  CLI::App& app = program.add_command(accounts, "top",
                                      "Show the accounts with the most jobs waiting or running",
                                      std::move(command));
  app.add_option("--queue", top.queues, "The queue; may be repeated (by default, each)")
      ->allow_extra_args(false)
      ->type_name("Q");
  app.add_option(
         "--by", top.by,
         "Order: the longest line, the most running jobs, or the job that has waited longest")
      ->check(CLI::IsMember({kByLine, "running", "oldest"}))
      ->capture_default_str();
  app.add_option("--limit", top.limit, "Maximum number of accounts of each queue")
      ->check(CLI::Range(1, kMaxAccounts))
      ->capture_default_str();
  top.add_options(app);
}

}  // namespace penstock
