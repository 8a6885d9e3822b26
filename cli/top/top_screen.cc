#include "cli/top/top_screen.h"

#include <algorithm>
#include <array>

#include "cli/overview/queue_view.h"
#include "cli/overview/worker_view.h"
#include "cli/remote/json_text.h"
#include "cli/top/screen_text.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;
using Style = ScreenLine::Style;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::array<const char*, kTopPages> kPageNames{"Queues", "Accounts", "Failures",
                                                        "Workers"};
constexpr int kFrameRows = 6;  // what is not a row of the table
constexpr std::size_t kMaxTopRows = 1000;

struct PageTable {
  std::vector<ScreenColumn> columns;
  Rows rows;
  const char* nothing;  // what an empty table means
};

std::string member_text(const Json& object, const char* name) {
  return screen_text(text_of(object, name));
}

PageTable queues_table(const TopStatus& status) {
  PageTable table{{{"QUEUE"},
                   {"JOBS", true},
                   {"RUN", true},
                   {"READY", true},
                   {"OLDEST", true},
                   {"IN/S", true},
                   {"OUT/S", true},
                   {"FAIL/S", true},
                   {"WAITING FOR"}},
                  {},
                  "The worker runs no queues."};
  for (const Json& queue : status.queues) {
    const bool paused = text_of(queue, "paused") == "true";
    table.rows.push_back(
        {member_text(queue, "queue") + (paused ? " (paused)" : ""),
         short_number(number_member(queue, "jobs")), short_number(number_member(queue, "running")),
         short_number(number_member(queue, "ready_accounts")),
         age_text(count_member(queue, "oldest_ready_ms")), rate_of(queue, "in"),
         rate_of(queue, "out"), rate_of(queue, "failed"), screen_text(waiting_of(queue))});
  }
  return table;
}

PageTable accounts_table(const TopStatus& status) {
  PageTable table{{{"QUEUE"}, {"ACCOUNT"}, {"JOBS", true}, {"RUNNING", true}, {"OLDEST", true}},
                  {},
                  "No account has a job that waits or runs."};
  std::vector<std::pair<const std::string*, const Json*>> all;
  for (const auto& [queue, accounts] : status.accounts) {
    for (const Json& account : accounts) all.emplace_back(&queue, &account);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return count_member(*a.second, "jobs") > count_member(*b.second, "jobs");
  });
  for (const auto& [queue, account] : all) {
    table.rows.push_back({screen_text(*queue), member_text(*account, "account"),
                          short_number(number_member(*account, "jobs")),
                          short_number(number_member(*account, "running")),
                          age_text(count_member(*account, "oldest_ms"))});
  }
  return table;
}

PageTable failures_table(const TopStatus& status) {
  PageTable table{{{"COUNT", true}, {"QUEUE"}, {"TYPE"}, {"ERROR"}, {"LAST"}, {"ACCOUNT"}, {"JOB"}},
                  {},
                  "No attempt has failed within the last hour (or the worker is of a version that "
                  "does not tell)."};
  std::vector<std::pair<const Json*, const Json*>> all;
  for (const Json& queue : status.queues) {
    for (const Json& failure : array_member(queue, "failures")) all.emplace_back(&queue, &failure);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return count_member(*a.second, "count") > count_member(*b.second, "count");
  });
  for (const auto& [queue, failure] : all) {
    // Of the date, the time of day is enough: it is within the last hour.
    const std::string last = text_of(*failure, "last");
    table.rows.push_back({short_number(number_member(*failure, "count")),
                          member_text(*queue, "queue"), member_text(*failure, "type"),
                          member_text(*failure, "error"),
                          screen_text(last.size() > 19 ? last.substr(11, 8) : last),
                          member_text(*failure, "account"), member_text(*failure, "id")});
  }
  return table;
}

PageTable workers_table(const TopStatus& status) {
  PageTable table{{{"WORKER"},
                   {"READY"},
                   {"VERSION"},
                   {"PARTS", true},
                   {"RUNNING", true},
                   {"JOBS", true},
                   {"STATE", true},
                   {"LEASE", true},
                   {"RESTORED", true},
                   {"URL"}},
                  {},
                  "The worker is of a version that does not know the others."};
  for (const Json& worker : array_member(status.workers, "workers")) {
    const WorkerTotals totals = totals_of(worker);
    table.rows.push_back({screen_text(worker_name(worker)), screen_text(readiness(worker)),
                          member_text(worker, "version"), std::to_string(totals.partitions),
                          std::to_string(totals.running),
                          short_number(static_cast<double>(totals.jobs)),
                          bytes_text(totals.state_bytes), age_text(totals.least_lease_ms),
                          std::to_string(static_cast<int>(totals.restored * 100)) + "%",
                          member_text(worker, "url")});
  }
  for (const Json& silent : array_member(status.workers, "unanswered")) {
    table.rows.push_back({screen_text(worker_name(silent)),
                          "no answer: " + member_text(silent, "reason"), "-", "-", "-", "-", "-",
                          "-", "-", member_text(silent, "url")});
  }
  return table;
}

PageTable table_of(const TopStatus& status, TopPage page) {
  PageTable table = page == TopPage::kQueues     ? queues_table(status)
                    : page == TopPage::kAccounts ? accounts_table(status)
                    : page == TopPage::kFailures ? failures_table(status)
                                                 : workers_table(status);
  if (table.rows.size() > kMaxTopRows) table.rows.resize(kMaxTopRows);
  return table;
}

std::string counted(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// "2 queues  3 workers, 1 not ready  7 running  in 12/s  out 11/s  failed 0/s  127.0.0.1:8080  ..."
std::string summary(const TopStatus& status) {
  double in = 0, out = 0, failed = 0, running = 0;
  bool has_rates = false;
  for (const Json& queue : status.queues) {
    const Json& rates = object_member(queue, "rates");
    has_rates = has_rates || !rates.empty();
    in += number_member(rates, "in");
    out += number_member(rates, "out");
    failed += number_member(rates, "failed");
    running += number_member(queue, "running");
  }
  const Json& workers = array_member(status.workers, "workers");
  const auto down = std::count_if(workers.begin(), workers.end(),
                                  [](const Json& worker) { return !is_ready(worker); }) +
                    static_cast<std::ptrdiff_t>(array_member(status.workers, "unanswered").size());
  std::string text = counted(static_cast<std::int64_t>(status.queues.size()), "queue");
  if (!workers.empty()) text += "  " + counted(static_cast<std::int64_t>(workers.size()), "worker");
  if (down > 0) text += ", " + std::to_string(down) + " not ready";
  text += "  " + short_number(running) + " running";
  if (has_rates) {
    text += "  in " + short_number(in) + "/s  out " + short_number(out) + "/s  failed " +
            short_number(failed) + "/s";
  }
  return text + "  " + screen_text(status.worker) + "  " + status.at;
}

std::string tabs(TopPage page) {
  std::string text;
  for (std::size_t i = 0; i < kPageNames.size(); ++i) {
    const std::string name = std::to_string(i + 1) + " " + kPageNames[i];
    const bool chosen = i == static_cast<std::size_t>(page);
    text += chosen ? "[" + name + "] " : " " + name + "  ";
  }
  return text;
}

bool is_alarm(const TopStatus& status, TopPage page, std::size_t row) {
  if (page != TopPage::kWorkers) return false;
  const Json& workers = array_member(status.workers, "workers");
  return row >= workers.size() || !is_ready(workers[row]);
}

}  // namespace

int top_rows(const TopStatus& status, TopPage page) {
  return static_cast<int>(table_of(status, page).rows.size());
}

int top_rows_shown(TerminalSize size) { return std::max(0, size.rows - kFrameRows); }

std::vector<ScreenLine> top_lines(const TopStatus& status, const TopView& view, TerminalSize size) {
  const auto width = static_cast<std::size_t>(std::max(1, size.columns));
  std::vector<ScreenLine> lines;
  const auto add = [&](const std::string& text, Style style) {
    if (static_cast<int>(lines.size()) < size.rows) lines.push_back({cut_to(text, width), style});
  };
  add(summary(status), Style::kTitle);
  add(tabs(view.page), Style::kPlain);
  add(screen_text(status.trouble), Style::kAlarm);
  const PageTable table = table_of(status, view.page);
  const auto shown = static_cast<std::size_t>(top_rows_shown(size));
  // The columns are as wide as all rows need, so that nothing jumps when one scrolls.
  const auto rows = screen_table(table.columns, table.rows, width);
  add(rows.front(), Style::kHeading);
  const std::size_t first =
      std::min(static_cast<std::size_t>(std::max(0, view.first_row)), table.rows.size());
  const std::size_t end = std::min(table.rows.size(), first + shown);
  for (std::size_t i = first; i < end; ++i)
    add(rows[i + 1], is_alarm(status, view.page, i) ? Style::kAlarm : Style::kPlain);
  if (table.rows.empty() && shown > 0)
    add(status.is_first ? "Asking ..." : table.nothing, Style::kDim);
  while (static_cast<int>(lines.size()) + 1 < size.rows) add("", Style::kPlain);
  const std::string place = table.rows.size() <= shown
                                ? ""
                                : "  " + std::to_string(first + 1) + "-" + std::to_string(end) +
                                      " of " + std::to_string(table.rows.size());
  add("q quit   Tab or arrows: views   up/down: scroll" + place, Style::kDim);
  return lines;
}

}  // namespace penstock
