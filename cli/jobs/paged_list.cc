#include "cli/jobs/paged_list.h"

#include <algorithm>
#include <set>

namespace penstock {

Exit PagedList::run(Program& program) {
  const auto config = program.config();
  if (!config) return program.usage_error(config.error().message);
  auto worker = worker_client(*config, selection.worker);
  if (!worker) return program.usage_error(worker.error().message);
  return watch_.run(program, [&] {
    const auto shown = show_all(program.output(), *worker);
    return shown ? Exit::kDone : program.fail(shown.error().message, exit_of(shown.error()));
  });
}

void PagedList::add_list_options(CLI::App& app) {
  app.add_option("--limit", limit, "Maximum number of entries")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  watch_.add_option(app);
}

FromWorker<void> PagedList::show_all(Output& output, WorkerClient& worker) const {
  std::set<PartitionId> not_here;
  std::string after;
  {
    // In a block of its own, because the table's destructor writes the last rows, and notes follow
    // them.
    Table table(output, titles());
    int left = limit;
    do {
      auto page = this->page(worker, after, std::min(left, WorkerClient::kMaxPage));
      if (!page) return tl::unexpected(page.error());
      for (const JobJson& element : page->jobs) show(output, table, element);
      not_here.insert(page->not_here.begin(), page->not_here.end());
      left -= static_cast<int>(page->jobs.size());
      after = std::move(page->after);
    } while (!after.empty() && left > 0);
  }
  if (!after.empty()) output.note("There are more: give a larger --limit.");
  if (!not_here.empty()) {
    output.note(
        "This list is incomplete: " + not_here_text(worker, selection.filter.queue, not_here) +
        "; ask the other workers, with --http HOST:PORT.");
  }
  return {};
}

}  // namespace penstock
