// The embedded log keeps the rules of every log.
#include "tests/conformance/log_conformance.h"
#include "tests/conformance/temporary_directory.h"
#include "topics/embedded/embedded_log.h"

namespace penstock {
namespace {

class EmbeddedUnderTest final : public LogUnderTest {
 public:
  EmbeddedUnderTest() {
    // Short, so that a session that died is missed soon; the tests finish what is revoked at once.
    auto opened =
        open_embedded(directory_.path(), {.session_timeout = std::chrono::milliseconds(1500)});
    EXPECT_TRUE(opened) << opened.error().message;
    log_ = std::move(*opened);
  }

  Log& log() override { return *log_; }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Log> log_;
};

INSTANTIATE_TEST_SUITE_P(Embedded, LogConformance,
                         testing::Values(LogFactory{
                             "embedded", [] { return std::make_unique<EmbeddedUnderTest>(); }}),
                         log_name);

}  // namespace
}  // namespace penstock
