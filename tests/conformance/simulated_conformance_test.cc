// The simulated log, without faults, keeps the rules of every log.
#include "tests/conformance/log_conformance.h"
#include "topics/simulated/simulated_log.h"

namespace penstock {
namespace {

class SimulatedUnderTest final : public LogUnderTest {
 public:
  Log& log() override { return log_; }
  void pass_time(LogSession& session) override { session.wait(std::chrono::milliseconds(5)); }
  // In virtual time they cost nothing.
  [[nodiscard]] int quiet_rounds() const override { return 1000; }
  [[nodiscard]] bool recreate(const std::string& topic) override {
    cluster_.recreate(topic);
    return true;
  }

 private:
  static ClusterOptions options() {
    ClusterOptions options;
    options.wait_passes_time = true;
    return options;
  }
  SimulatedCluster cluster_{options()};
  SimulatedLog log_{cluster_, cluster_.add_host()};
};

INSTANTIATE_TEST_SUITE_P(Simulated, LogConformance,
                         testing::Values(LogFactory{
                             "simulated", [] { return std::make_unique<SimulatedUnderTest>(); }}),
                         log_name);

}  // namespace
}  // namespace penstock
