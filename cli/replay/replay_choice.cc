#include "cli/replay/replay_choice.h"

#include <string>
#include <vector>

#include "topics/values/utf8.h"

namespace penstock {
namespace {

tl::unexpected<ReplayProblem> no_choice(ReplayProblem::Kind kind, std::string message) {
  return tl::unexpected(ReplayProblem{kind, std::move(message)});
}

}  // namespace

void add_replay_choice(CLI::App& app, ReplayTarget& chosen) {
  app.add_option("ID", chosen.name, "The replay")->required();
  app.add_option("--queue", chosen.queue, "Its queue, where several have a replay of this name");
}

ReplayAnswer<ReplayTarget> find_chosen(ReplayDesk& desk, const ReplayTarget& chosen) {
  if (!chosen.queue.empty()) return chosen;
  const auto views = desk.list("");
  if (!views) return tl::unexpected(views.error());
  std::vector<std::string> queues;
  for (const ReplayView& view : *views) {
    if (view.target.name == chosen.name) queues.push_back(view.target.queue);
  }
  return only_queue(chosen.name, queues);
}

ReplayAnswer<ReplayTarget> only_queue(const std::string& wanted,
                                      const std::vector<std::string>& queues) {
  const std::string name = "\"" + excerpt(wanted, kMaxReplayNameBytes) + "\"";
  if (queues.empty()) {
    return no_choice(ReplayProblem::Kind::kNotFound,
                     "no queue has a replay " + name + "; see `penstock replay list`");
  }
  std::string names;
  for (const std::string& queue : queues) names += (names.empty() ? "" : ", ") + queue;
  if (queues.size() > 1) {
    return no_choice(ReplayProblem::Kind::kBad, std::to_string(queues.size()) +
                                                    " queues have a replay " + name + " (" + names +
                                                    "): name one with --queue");
  }
  return ReplayTarget{queues.front(), wanted};
}

}  // namespace penstock
