// Which planted bug a run has. Only the program that is built with the bugs can have any. One
// thread.
#pragma once

#include <optional>
#include <string_view>

#include "topics/planted.h"

namespace penstock::simulation {

#ifdef PENSTOCK_PLANTED_BUGS
inline constexpr bool kHasBugs = true;
#else
inline constexpr bool kHasBugs = false;
#endif

void plant(Bug bug);
// Bugs that only show where somebody else cuts the logs.
[[nodiscard]] constexpr bool needs_foreign_trims(Bug bug) {
  return bug == Bug::kRetentionSilent || bug == Bug::kRootForgotten;
}
// And those that only show where somebody creates topics again.
[[nodiscard]] constexpr bool needs_recreated_topics(Bug bug) {
  return bug == Bug::kRecreatedTaken || bug == Bug::kCopyDropped;
}
[[nodiscard]] std::optional<Bug> find_bug(std::string_view name);

// While one lives nothing is planted: the checker's own reading is honest.
class Honestly {
 public:
  Honestly();
  ~Honestly();
  Honestly(const Honestly&) = delete;
  Honestly& operator=(const Honestly&) = delete;
};

}  // namespace penstock::simulation
