// The replay that a command is about: its name and, where queues share that name, its queue.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "consumer/operate/replay_desk.h"

namespace penstock {

// ID, and --queue, which may be left out.
void add_replay_choice(CLI::App& app, ReplayTarget& chosen);

// Without a queue, the only replay of this name. None is kNotFound; several are kBad, because the
// command then needs --queue.
[[nodiscard]] ReplayAnswer<ReplayTarget> find_chosen(ReplayDesk& desk, const ReplayTarget& chosen);

// The target in the only one of these queues, which have a replay of this name.
[[nodiscard]] ReplayAnswer<ReplayTarget> only_queue(const std::string& name,
                                                    const std::vector<std::string>& queues);

}  // namespace penstock
