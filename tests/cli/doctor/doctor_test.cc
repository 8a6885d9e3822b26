// `config check` and the findings of `doctor`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "cli/check/config_view.h"
#include "cli/doctor/kafka_checks.h"
#include "cli/doctor/machine_checks.h"
#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;

constexpr const char* kFullConfig = R"({
  "kafka": {"bootstrap.servers": "b:1", "sasl.password": "swordfish"},
  "prefix": "p", "http": {"listen": "127.0.0.1:9"},
  "queues": {"mail": {"order": "fair", "types": {
    "a": {"handler": {"http": "http://127.0.0.1:3000/jobs"},
          "retry": {"delays": ["1s", "2m"], "discard_on": ["410"], "breaker": {"failures": 3}},
          "unique": {"by": ["/id"], "scope": "ttl", "ttl": "1h"},
          "limits": [{"name": "x/{account}", "slots": 2}, {"name": "y", "rate": "10/s", "burst": 3}],
          "max_runtime": "5m"},
    "b": {"handler": {"exec": ["/bin/cat"]}, "batch": {"max": 10, "target": "2s"},
          "retry": {"backoff": "polynomial", "degree": 4}}}},
   "sms": {"events": "terminal", "types": {"c": {"retry": {"backoff": "fixed", "base": "30s"}}}}}})";

TEST(ConfigCheck, WhatIsInForceMeansTheSameAsAConfigFile) {
  const auto config = parse_config(kFullConfig);
  ASSERT_TRUE(config) << config.error().message;
  const auto json = config_json(*config);
  auto again = json;
  again["kafka"]["sasl.password"] = "swordfish";
  const auto read = parse_config(again.dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(config_json(*read), json);
  EXPECT_EQ(json["queues"]["mail"]["types"]["a"]["timeout"], "30s");
}

TEST(ConfigCheck, PrintsNoSecrets) {
  const TemporaryFile file(kFullConfig);
  const Printed printed = Stage().run({"--config", file.path(), "config", "check"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("\"partitions\": 12"));
  EXPECT_EQ(printed.out.find("swordfish"), std::string::npos);
  EXPECT_EQ(Stage().run({"--json", "--config", file.path(), "config", "check"}).out.find("\n{"),
            std::string::npos);
}

TEST(ConfigCheck, AnErrorNamesThePlace) {
  const TemporaryFile file(R"({"queues": {"mail": {"lease": "1h"}}})");
  const Printed printed = Stage().run({"--config", file.path(), "config", "check"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_THAT(printed.err, HasSubstr(": /queues/mail/lease: found"));
}

KafkaInspection three_brokers() {
  return {.brokers = {{1, "a:1"}, {2, "b:1"}, {3, "c:1"}},
          .controller = 1,
          .features = {"ApiVersion", "BrokerGroupCoordinator", "MsgVer2", "IdempotentProducer"},
          .groups = {{"penstock.mail", "Stable", {"w"}, ""}}};
}

TEST(DoctorBrokers, AreEnoughAndNewEnough) {
  for (const Finding& finding : check_brokers(three_brokers()))
    EXPECT_EQ(finding.level, FindingLevel::kGood) << finding.what;
  KafkaInspection old = three_brokers();
  old.brokers.resize(1);
  old.features = {"ApiVersion", "BrokerGroupCoordinator", "MsgVer2"};
  const Findings findings = check_brokers(old);
  EXPECT_EQ(findings.at(0).level, FindingLevel::kWarning);
  EXPECT_EQ(findings.at(1).level, FindingLevel::kBad);
  EXPECT_THAT(findings.at(1).what, HasSubstr("IdempotentProducer"));
}

TEST(DoctorGroups, HaveWorkers) {
  const auto config = parse_config(R"({"queues": {"mail": {}}})");
  KafkaInspection found = three_brokers();
  EXPECT_EQ(check_groups(*config, found).at(0).level, FindingLevel::kGood);
  found.groups[0].state = "PreparingRebalance";
  EXPECT_EQ(check_groups(*config, found).at(0).level, FindingLevel::kWarning);
  found.groups[0] = {"penstock.mail", "Empty", {}, ""};
  EXPECT_EQ(check_groups(*config, found).at(0).level, FindingLevel::kBad);
  found.groups[0] = {"penstock.mail", "", {}, "not authorized"};
  EXPECT_THAT(check_groups(*config, found).at(0).what, HasSubstr("not authorized"));
}

// A log of which only the newest timestamp matters.
class ClockLog : public TopicsOnlyLog {
 public:
  ClockLog(TopicsInMemory& topics, Time newest) : TopicsOnlyLog(topics), newest_(newest) {}
  Result<std::vector<OffsetsAt>> offsets_at(const std::string&, Time at) override {
    return std::vector<OffsetsAt>{
        {{Offset{0}, Offset{10}, {}}, at <= newest_ ? Offset{9} : Offset{10}}};
  }

 private:
  Time newest_;
};

TEST(DoctorClock, IsComparedWithTheStateTopics) {
  const auto config = parse_config(R"({"queues": {"mail": {}}})");
  const Time now = time_from_ms(1'000'000'000);
  TopicsInMemory topics;
  const auto level = [&](Duration ago, const KafkaInspection& found) {
    ClockLog log(topics, now - ago);
    return check_clock(*config, log, found, now).at(0).level;
  };
  EXPECT_EQ(level(Duration(500), three_brokers()), FindingLevel::kGood);
  EXPECT_EQ(level(Duration(-5'000), three_brokers()), FindingLevel::kBad);
  EXPECT_EQ(level(Duration(120'000), three_brokers()), FindingLevel::kWarning);
  KafkaInspection idle = three_brokers();
  idle.groups[0].members.clear();
  EXPECT_EQ(level(Duration(120'000), idle), FindingLevel::kGood);
}

TEST(DoctorToken, IsLongAndPrivate) {
  const TemporaryFile strong("0123456789abcdef0123456789abcdef\n"), weak("secret\n");
  HttpConfig http{.listen = "127.0.0.1:1", .token_file = strong.path(), .open_metrics = true};
  chmod(strong.path().c_str(), 0600);
  EXPECT_EQ(check_token(http).at(0).level, FindingLevel::kGood);
  chmod(strong.path().c_str(), 0640);
  EXPECT_THAT(check_token(http).at(0).what, HasSubstr("mode 0640"));
  http.token_file = weak.path();
  chmod(weak.path().c_str(), 0600);
  EXPECT_THAT(check_token(http).at(0).what, HasSubstr("the token has 6 bytes"));
  http.token_file.clear();
  EXPECT_EQ(check_token(http).at(0).level, FindingLevel::kGood);
  http.listen = "0.0.0.0:80";
  EXPECT_EQ(check_token(http).at(0).level, FindingLevel::kBad);
}

TEST(DoctorStateDirectory, BelongsToTheWorkerAlone) {
  Config config;
  const std::string folder = testing::TempDir() + "penstock_doctor_" + std::to_string(getpid());
  config.state_dir = folder + "/a/b";
  EXPECT_EQ(check_state_directory(config).at(0).level, FindingLevel::kGood);
  EXPECT_EQ(check_disk(config).size(), 1u);
  std::filesystem::create_directories(config.state_dir);
  chmod(config.state_dir.c_str(), 0755);
  EXPECT_THAT(check_state_directory(config).at(0).what, HasSubstr("mode 0755"));
  chmod(config.state_dir.c_str(), 0700);
  EXPECT_EQ(check_state_directory(config).at(0).level, FindingLevel::kGood);
  std::filesystem::remove_all(folder);
}

TEST(Doctor, WithoutBrokersItLooksAtThisMachine) {
  const Printed printed = Stage().run({"--json", "doctor", "--http", "127.0.0.1:1"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr(R"({"check":"brokers","level":"ok")"));
  EXPECT_THAT(printed.out, HasSubstr(R"({"check":"worker","level":"warning")"));
  EXPECT_THAT(printed.err, HasSubstr("No problems; 1 warning"));
}

}  // namespace
}  // namespace penstock
