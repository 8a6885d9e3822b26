// The library's worker without a Kafka: what it refuses, and how it is stopped while it waits for
// brokers.
#include "penstock/worker.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/conformance/temporary_directory.h"
#include "tests/consumer/loop/flag.h"

namespace penstock {
namespace {

constexpr int kStopped = 0, kBadConfig = 2;

class LibraryWorker : public testing::Test {
 protected:
  // No broker listens there.
  LibraryWorker() {
    config["kafka"]["bootstrap.servers"] = "127.0.0.1:1";
    config["state_dir"] = path("state");
    config["http"]["listen"] = "127.0.0.1:0";
    config["queues"]["mail"]["types"]["greet"] = nlohmann::json::object();
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return directory.path() + "/" + name;
  }
  std::unique_ptr<Worker> make() {
    std::ofstream(path("penstock.json")) << config;
    options.config = path("penstock.json");
    auto worker = std::make_unique<Worker>(options);
    worker->handle("greet", [](Attempt&) { return done(); });
    return worker;
  }
  // What run() comes to where it must not get as far as to wait for brokers.
  int status() {
    const auto worker = make();
    worker->stop();
    return worker->run();
  }

  const TemporaryDirectory directory;
  nlohmann::json config;
  WorkerOptions options;
};

TEST_F(LibraryWorker, RefusesNumbersThatNoWorkerCanRunWith) {
  constexpr int kMost = std::numeric_limits<int>::max();
  for (const int number : {0, -1, kMost}) {
    options = {.concurrency = number};
    EXPECT_EQ(status(), kBadConfig) << number;
    options = {.threads = number};
    EXPECT_EQ(status(), kBadConfig) << number;
    options = {.handler_threads = number};
    EXPECT_EQ(status(), kBadConfig) << number;
  }
  options = {.grace = std::chrono::milliseconds(-1)};
  EXPECT_EQ(status(), kBadConfig);
  options = {.grace = std::chrono::milliseconds::max()};
  EXPECT_EQ(status(), kBadConfig);
}

TEST_F(LibraryWorker, RefusesQueuesThatItDoesNotKnowOrKnowsAlready) {
  options = {.queues = {"mial"}};
  EXPECT_EQ(status(), kBadConfig);
  options = {.queues = {"mail", "mail"}};
  EXPECT_EQ(status(), kBadConfig);
  options = {.queues = {"mail"}};
  EXPECT_EQ(status(), kStopped);
}

TEST_F(LibraryWorker, RefusesSecretsThatItCannotRead) {
  config["http"]["token_file"] = path("no token");
  EXPECT_EQ(status(), kBadConfig);
  config["http"].erase("token_file");
  config["queues"]["mail"]["types"]["post"]["handler"] = {{"http", "http://127.0.0.1:1/"},
                                                          {"secret_file", path("no secret")}};
  EXPECT_EQ(status(), kBadConfig);
}

TEST_F(LibraryWorker, StopsBeforeItRuns) { EXPECT_EQ(status(), kStopped); }

TEST_F(LibraryWorker, StopsFromAnotherThread) {
  options.handle_signals = false;
  const auto worker = make();
  std::jthread other([&] { worker->stop(); });
  EXPECT_EQ(worker->run(), kStopped);
}

TEST_F(LibraryWorker, LeavesSignalsAloneWhereItShall) {
  struct sigaction before = {}, now = {};
  sigaction(SIGTERM, nullptr, &before);
  options.handle_signals = false;
  const auto worker = make();
  std::jthread other([&] {
    sigaction(SIGTERM, nullptr, &now);
    worker->stop();
  });
  EXPECT_EQ(worker->run(), kStopped);
  other.join();
  EXPECT_EQ(now.sa_handler, before.sa_handler);
}

// A thread that was there before run() has not blocked the signal: without a handler the process
// would end, and its jobs would count a crash.
TEST_F(LibraryWorker, StopsForASignalThatAThreadOfTheProgramGets) {
  Flag ends;
  std::jthread older([&] { ends.wait(); });
  const auto worker = make();
  struct sigaction before = {};
  sigaction(SIGTERM, nullptr, &before);
  std::jthread sender([&](const std::stop_token& stop) {
    for (struct sigaction now = before; now.sa_handler == before.sa_handler;) {
      if (stop.stop_requested()) return;
      std::this_thread::yield();
      sigaction(SIGTERM, nullptr, &now);
    }
    pthread_kill(older.native_handle(), SIGTERM);
  });
  EXPECT_EQ(worker->run(), kStopped);
  ends.set();
}

}  // namespace
}  // namespace penstock
