// The children of the calling process, those that it has inherited as a subreaper included. Only
// this process reaps them, so that until then their numbers belong to nobody else: what is killed
// here is never a stranger. System calls alone, for processes without threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>

namespace penstock {

// Sends SIGKILL to each but those spared; to how many it could be sent, the dead that are not
// reaped included. What one of them has started becomes a child with its end, so that it takes a
// round for each generation. nullopt: they cannot be listed (there is no /proc).
[[nodiscard]] std::optional<int> kill_children(std::span<const pid_t> spared = {});

// Waits for the end of a child, or looks for one that has ended; its status in `status`. 0: none
// has ended; -1: there are no children.
enum class Wait { kBlock, kLook };
[[nodiscard]] pid_t reap_child(Wait wait, int* status);

}  // namespace penstock
