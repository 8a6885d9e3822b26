// What a demo's trace says: the waits, measured and as a FIFO queue would have had them, and the
// claims with whether they held. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/demo/demo_story.h"

namespace penstock {

struct DemoClaim {
  std::string name;  // "fair", "once", "order", ...
  bool held = false;
  std::string text;  // one or two sentences with the numbers, true whether it held or not
};

// From when everything had been admitted to the start of the handler, over the other accounts'
// jobs.
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

// "4,812": for people.
[[nodiscard]] std::string grouped(std::uint64_t number);
// "5 ms", "2,410 ms"; a broken number below 10 ms with one decimal.
[[nodiscard]] std::string in_ms(std::chrono::nanoseconds time);

}  // namespace penstock
