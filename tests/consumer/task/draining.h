// A task under a random mix of types that share limits, of iterations, uniqueness, batches, what
// operators set, commands and restarts, all of it in any order. Then what halts is lifted and every
// attempt succeeds: every job must end. What one run is like follows from its seed.
//
// Beside that it looks at limits from outside: what starts never has more slots than are in force,
// nor comes sooner than a rate allows, and nobody waits for a rate that nobody uses.
#pragma once

#include <array>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "consumer/limits/slot_message.h"
#include "consumer/slots/allotment.h"
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {

class Draining : public WithLimits {
 public:
  explicit Draining(std::uint32_t seed);

  // What goes wrong first; empty: nothing.
  [[nodiscard]] std::string run();

 private:
  static constexpr int kSteps = 300, kStepsWithNewJobs = 220;
  static constexpr int kDrainSteps = 1500;
  static constexpr std::size_t kFewestTypes = 3;
  static constexpr int kMuch = 1000;  // capacity for all that may start
  static constexpr Duration kRateEvery{200};

  struct Job {
    std::string type, account, argument;
  };
  struct Attempt {
    Token token;
    std::string job;
    std::vector<AttemptItem> items;
  };

  void TestBody() override {}
  [[nodiscard]] int below(int count) {
    return static_cast<int>(random_() % static_cast<std::uint32_t>(count));
  }
  [[nodiscard]] bool chance(int percent) { return below(100) < percent; }
  template <typename Array>
  [[nodiscard]] const auto& any_of(const Array& array) {
    return array[static_cast<std::size_t>(below(static_cast<int>(std::size(array))))];
  }
  [[nodiscard]] std::string any_account() { return {static_cast<char>('u' + below(3))}; }
  [[nodiscard]] std::string any_job() { return "j" + std::to_string(below(made_)); }
  void fault(const std::string& text) {
    if (fault_.empty()) fault_ = "step " + std::to_string(step_) + ": " + text;
  }

  // A type's letters are its limits: "ab" has both of them.
  void add_type(const std::string& name);
  [[nodiscard]] static LimitPolicy limit_of(char letter);
  [[nodiscard]] UniquePolicy any_unique();
  [[nodiscard]] BatchPolicy any_batch();

  void step();
  void admit_one();
  void start_some(int capacity);
  void end_one();
  [[nodiscard]] OutcomeValue any_outcome();
  [[nodiscard]] ItemOutcomes any_items();
  void command_one();
  void pause_one();
  void set_one();
  void exchange();
  void die();
  void lift();
  void drain();
  [[nodiscard]] std::string left();

  // What is seen of limits.
  [[nodiscard]] static std::string filled(char letter, const Job& job);
  void check_start(const FakeTaskHost::Started& started);
  void check_slots(char letter, const Job& job);
  void check_rate(const std::string& name, const std::string& id);
  void check_rates_used();
  void look_who_runs();

  std::mt19937 random_;
  std::string fault_;
  int step_ = 0, made_ = 0;
  std::vector<std::string> type_names_;
  std::map<std::string, Job> jobs_;  // by id
  std::vector<Attempt> attempts_;    // that run
  std::set<std::string> iterated_;   // jobs that may have kept what they took
  std::map<std::string, Duration> rate_starts_, rates_used_;  // last: surely, and perhaps
  bool steady_rates_ = false;  // the type "r" neither folds nor collects jobs
  // The owner of the shared limits, which never dies.
  std::map<std::string, Allotment> owned_;
  std::set<std::string> reports_;  // by their numbers
  std::size_t heard_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace penstock
