#include "cli/demo/demo_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace penstock {
namespace {

constexpr std::size_t kWidth = 78;
constexpr std::size_t kNameWidth = 18;
constexpr std::size_t kTimeWidth = 11;
constexpr std::int64_t kBarWidth = 24;

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string left(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// Lines of at most kWidth; all except the first are indented.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::istringstream words(text);
  std::string result, line = indent, word;
  while (words >> word) {
    if (line.size() + 1 + word.size() > kWidth && line.size() > indent.size()) {
      result += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return (result + line).substr(indent.size());
}

double ms(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e6; }

nlohmann::ordered_json json_of(const DemoWaits& waits) {
  return {
      {"least_ms", ms(waits.least)}, {"median_ms", ms(waits.median)}, {"max_ms", ms(waits.most)}};
}

}  // namespace

void DemoReport::introduce(const DemoStory& story, bool on_kafka) {
  if (output_.is_json()) return;
  const DemoScale& scale = story.scale();
  output_.line(output_.painted("The story of a noisy account", Colour::kBold));
  output_.line("");
  output_.line(wrapped(std::string("One worker on ") + (on_kafka ? "Kafka" : "the embedded log") +
                           " runs " + grouped(static_cast<std::uint64_t>(scale.places)) +
                           " jobs at a time. " + kNoisyAccount + " sends " +
                           grouped(scale.noisy_jobs) + " jobs of " + in_ms(scale.job_length) +
                           ". Right behind them, in the same queue, " + grouped(scale.others) +
                           " other accounts send " + grouped(scale.jobs_each) +
                           " each. The first job runs when all of them are waiting.",
                       ""));
  output_.line("");
  static_cast<void>(output_.flush());  // the following output takes seconds
}

void DemoReport::conclude(const DemoFindings& findings, std::chrono::nanoseconds took) {
  if (output_.is_json()) return conclude_json(findings, took);
  show_waits(findings);
  for (const DemoClaim& claim : findings.claims) show_claim(claim);
  output_.line("");
  output_.line(wrapped("All of this was measured in the " + in_ms(took) +
                           " of this run; the FIFO queue's line is what " +
                           "the same jobs with their measured lengths would have waited in the "
                           "order in which they were sent.",
                       ""));
}

void DemoReport::show_waits(const DemoFindings& findings) {
  output_.line("How long the other accounts' jobs waited to begin:");
  output_.line("  " + left("", kNameWidth) + right("shortest", kTimeWidth) +
               right("median", kTimeWidth) + right("longest", kTimeWidth));
  show_row("in a FIFO queue", findings.fifo, findings.fifo.median);
  show_row("with Penstock", findings.measured, findings.fifo.median);
  output_.line("");
}

void DemoReport::show_row(const std::string& name, const DemoWaits& waits,
                          std::chrono::nanoseconds longest) {
  const auto bar = waits.median * kBarWidth / std::max(longest, std::chrono::nanoseconds(1));
  const auto width = static_cast<std::size_t>(std::clamp<std::int64_t>(bar, 1, kBarWidth));
  output_.line("  " + left(name, kNameWidth) + right(in_ms(waits.least), kTimeWidth) +
               right(in_ms(waits.median), kTimeWidth) + right(in_ms(waits.most), kTimeWidth) +
               "  " + std::string(width, '#'));
}

void DemoReport::show_claim(const DemoClaim& claim) {
  const std::string mark =
      claim.held ? output_.painted("yes", Colour::kGreen) : output_.painted(" NO", Colour::kRed);
  output_.line("  " + mark + "  " + left(claim.name, 10) +
               wrapped(claim.text, std::string(17, ' ')));
}

void DemoReport::conclude_json(const DemoFindings& findings, std::chrono::nanoseconds took) {
  for (const DemoClaim& claim : findings.claims) {
    output_.json({{"claim", claim.name}, {"held", claim.held}, {"text", claim.text}});
  }
  output_.json({{"held", findings.all_held()},
                {"took_ms", ms(took)},
                {"waits", json_of(findings.measured)},
                {"fifo_waits", json_of(findings.fifo)}});
}

}  // namespace penstock
