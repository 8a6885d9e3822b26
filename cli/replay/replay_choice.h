// The replay that a command is about: its name and, where queues share that name, its queue.
#pragma once

#include <CLI/CLI.hpp>

#include "consumer/operate/replay_desk.h"

namespace penstock {

// ID, and --queue, which may be left out.
void add_replay_choice(CLI::App& app, ReplayTarget& chosen);

// Without a queue, the only replay of this name. None is kNotFound; several are kBad, because the
// command then needs --queue.
[[nodiscard]] ReplayAnswer<ReplayTarget> find_chosen(ReplayDesk& desk, const ReplayTarget& chosen);

}  // namespace penstock
