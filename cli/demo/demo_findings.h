// Evaluates the trace of a demo: the waits, as measured and as they would have been in a FIFO
// queue, and the claims, with whether each held. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/demo/demo_story.h"

namespace penstock {

struct DemoClaim {
  std::string name;  // "fair", "once", "order", ...
  bool held = false;
  std::string text;  // one or two sentences with the numbers, true whether or not it held
};

// How long the other accounts' jobs waited until their handlers started, counted from when
// everything had been admitted.
struct DemoWaits {
  std::chrono::nanoseconds least{};
  std::chrono::nanoseconds median{};
  std::chrono::nanoseconds most{};
};

struct DemoFindings {
  DemoWaits measured;
  DemoWaits fifo;
  std::vector<DemoClaim> claims;

  [[nodiscard]] bool all_held() const;
};

[[nodiscard]] DemoFindings judge(const DemoTold& told);

// Such as "4,812", for people.
[[nodiscard]] std::string grouped(std::uint64_t number);
// Such as "5 ms" or "2,410 ms"; below 10 ms with one decimal.
[[nodiscard]] std::string in_ms(std::chrono::nanoseconds time);

}  // namespace penstock
