// The children of the calling process, including those that it has inherited as a subreaper. Only
// this process reaps them, so until then their process ids cannot be reused, and nothing unrelated
// can be killed. Uses only system calls; for processes without threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>

namespace penstock {

// Sends SIGKILL to every child except those in `spared`. Returns the number of signalled children,
// including ended ones that are not reaped yet. What a child has started becomes a child of this
// process when the child ends, so it takes one round per generation. Empty: the children cannot be
// listed (there is no /proc).
[[nodiscard]] std::optional<int> kill_children(std::span<const pid_t> spared = {});

// Waits for a child to end, or checks whether one has; puts its status into `status`. Returns 0 if
// none has ended, -1 if there are no children.
enum class Wait { kBlock, kLook };
[[nodiscard]] pid_t reap_child(Wait wait, int* status);

}  // namespace penstock
