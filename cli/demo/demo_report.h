// Prints a demo: as a short story for people, or with --json as one JSON object per line. Used from
// one thread.
#pragma once

#include <chrono>

#include "cli/demo/demo_findings.h"
#include "cli/demo/demo_story.h"
#include "cli/program/output.h"

namespace penstock {

class DemoReport {
 public:
  explicit DemoReport(Output& output) : output_(output) {}

  void introduce(const DemoStory& story, bool on_kafka);
  void conclude(const DemoFindings& findings, std::chrono::nanoseconds took);

 private:
  void show_waits(const DemoFindings& findings);
  void show_row(const std::string& name, const DemoWaits& waits, std::chrono::nanoseconds longest);
  void show_claim(const DemoClaim& claim);
  void conclude_json(const DemoFindings& findings, std::chrono::nanoseconds took);

  Output& output_;
};

}  // namespace penstock
