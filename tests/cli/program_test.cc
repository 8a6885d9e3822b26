#include "cli/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/cli/program_run.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct UsageError {
  std::vector<std::string> arguments;
  std::string message;
};

TEST(Program, BadUsageEndsWithStatusTwoAndSaysWhatToDo) {
  const std::vector<UsageError> table{
      {{}, "found no command, expected one: topics, enqueue, queues"},
      {{"topcs", "create"},
       "found \"topcs\", expected a command: topics, enqueue, queues, workers, accounts, top, "
       "jobs, "
       "bulks, dead, replay, limits, pause, resume, pauses, upgrade, config, doctor, work, bench, "
       "dev, demo, completion, man; did you mean topics?"},
      {{"topics"}, "found no command, expected one: create, check, describe"},
      {{"topics", "crate"},
       "found \"crate\", expected a command: create, check, describe; did you mean create?"},
      {{"topics", "create", "--jsn"},
       "found \"--jsn\", expected nothing more after the arguments of `penstock topics create`; "
       "did you "
       "mean --json?"},
      {{"jobs", "list"}, "--queue is required"},
      {{"jobs", "list", "--queue"}, "--queue: 1 required Q missing"},
      {{"jobs", "list", "--queue", "q", "--state", "done"}, "--state: done not in "},
      {{"jobs", "list", "--queue", "q", "--limit", "0"}, "--limit: "},
      {{"enqueue", "--queue", "q", "--priority", "high"},
       "--priority: found \"high\", expected a whole number"},
      {{"jobs", "show", "--queue", "q"}, "ID is required"},
      {{"-X", "novalue", "topics", "create"},
       "-X: found no value after a \"=\", expected property=value"},
      {{"jobs", "cancel", "--queue", "q"},
       "found neither an ID nor a filter, expected an ID, --state, --type, --bulk, --account or "
       "the "
       "like, or --yes to cancel every live job of the queue"},
      {{"jobs", "delete", "--queue", "q"},
       "found neither an ID nor a filter, expected an ID, --state, --type, --bulk, --account or "
       "the "
       "like, or --yes to delete every live or kept job of the queue"},
      {{"jobs", "reschedule", "i", "--queue", "q", "--account", "a"},
       "expected either --run-at TIME or --in DURATION"},
      {{"jobs", "reschedule", "i", "--queue", "q", "--account", "a", "--run-at", "soon"},
       "--run-at: found \"soon\", expected a time such as"},
      {{"jobs", "retry", "--queue", "q", "--rate", "fast"}, "--rate: found \"fast\""},
      {{"jobs", "list", "--queue", "q", "--from", "then"}, "--from: found \"then\""},
      {{"queues", "--watch", "mail"}, "--watch: found \"mail\", expected a number of seconds"},
      {{"--brokers", "b:1", "enqueue", "--queue", "q", "--type", "t", "--account", "a", "--header",
        "x"},
       "--header: found \"x\", expected NAME=VALUE"},
      {{"completion", "csh"}, "SHELL: csh not in {bash,zsh,fish}"},
      {{"jobs", "cancel", "a", "--queue", "q", "--type", "t"},
       "found both an ID and filters, expected an ID (and --account) or --state, --type, --bulk, "
       "--account and the like"},
      {{"jobs", "retry", std::string(256, 'i'), "--queue", "q"},
       "found an ID of 256 bytes, expected at most 255"},
      {{"jobs", "retry", "i", "--queue", "q", "--account", std::string(256, 'a')},
       "--account: found 256 bytes, expected 1 to 255"},
      {{"jobs", "cancel", "i", "--queue", "q", "--account", "a", "--http", "127.0.0.1:1"},
       "no brokers are given: use --brokers"},
      {{"topics", "create", "mail", "--http", "127.0.0.1:1"},
       "no brokers are given: use --brokers"},
      {{"--brokers", "b:1", "topics", "create"}, "no queue is named: name one, or set /queues"},
      {{"--brokers", "b:1", "topics", "create", "a/b"}, "queue name \"a/b\" is invalid"},
      {{"--brokers", "b:1", "pause", "mail", "--account", ""},
       "--account: found 0 bytes, expected 1 to 255"},
      {{"--brokers", "b:1", "resume", "mail", "--account", ""},
       "--account: found 0 bytes, expected 1 to 255"},
      {{"--brokers", "b:1", "pause", "a/b/c"},
       "found the type \"b/c\", expected 1 to 128 of A-Z a-z 0-9 . _ : -"},
      {{"--brokers", "b:1", "pause", "mail/"}, "found \"mail/\", expected QUEUE or QUEUE/TYPE"},
      {{"--brokers", "b:1", "pause", "mail/send", "--account", "a"},
       "found a type and an account, expected one of them"},
      {{"--brokers", "b:1", "upgrade"}, "found no command, expected one: finish"},
      {{"--brokers", "b:1", "upgrade", "finish"}, "no queue is named: name one, or set /queues"},
      {{"--brokers", "b:1", "upgrade", "finish", "a/b"}, "queue name \"a/b\" is invalid"},
      {{"upgrade", "finish", "mail", "--http", "127.0.0.1:1"},
       "no brokers are given: use --brokers"},
      {{"--brokers", "b:1", "limits", "set", "", "3"},
       "NAME: found an empty text, expected a value"},
      {{"--brokers", "b:1", "limits", "reset", ""}, "NAME: found an empty text, expected a value"},
      {{"--brokers", "b:1", "jobs", "cancel", "", "--account", "a", "--queue", "q"},
       "ID: found an empty text, expected a value"},
      {{"--brokers", "b:1", "jobs", "delete", "--type", "", "--account", "a", "--queue", "q"},
       "--type: found an empty text, expected a value"},
      {{"enqueue", "--queue", "q", "--type", "t", "--account", "a", "--id", ""},
       "--id: found an empty text, expected a value"},
      {{"enqueue", "--queue", "q", "--type", "t", "--account", "a", "--run-at="}, "--run-at: "},
      {{"--brokers", "b:1", "limits", "set", "x", "abc"},
       "SLOTS: found \"abc\", expected a whole number from 0 to 1000000"},
      {{"--brokers", "b:1", "limits", "set", "x", "--rate", "1/s", "--burst", "0"},
       "--burst: found \"0\", expected a whole number from 1 to 1000000"},
      {{"jobs", "list", "--queue", "q", "--http", "nowhere"},
       "--http: found \"nowhere\", expected an address such as \"127.0.0.1:8080\""},
      {{"--config", "/nonexistent", "topics", "create"},
       "cannot read the config file /nonexistent"},
  };
  for (const auto& [arguments, message] : table) {
    const Printed printed = Stage().run(arguments);
    EXPECT_EQ(printed.status, 2) << message;
    EXPECT_EQ(printed.out, "");
    EXPECT_THAT(printed.err, StartsWith("penstock: " + message));
  }
}

TEST(Program, UsageErrorsNameTheHelp) {
  EXPECT_THAT(Stage().run({"topics", "create", "--x"}).err,
              HasSubstr("; see `penstock topics create --help`\n"));
  EXPECT_THAT(Stage().run({"--x"}).err, HasSubstr("; see `penstock --help`\n"));
}

TEST(Program, HelpAndVersionAreResults) {
  const Printed version = Stage().run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("penstock [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const Printed help = Stage().run({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("jobs"));
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(Stage().run({"jobs", "cancel", "--help"}).out, HasSubstr("--dry-run"));
}

TEST(Program, BrokenConfigEndsWithStatusTwoAndNamesThePlace) {
  const TemporaryFile file(R"({"queues": {"mail": {"partitions": 0}}})");
  const Printed printed =
      Stage().run({"--config", file.path(), "--brokers", "b:1", "topics", "create"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_EQ(printed.err,
            "penstock: " + file.path() +
                ": /queues/mail/partitions: found 0, expected a whole number from 1 to "
                "10000\n");
}

TEST(Program, AKafkaPropertyThatCannotBeEndsWithStatusTwoAndNamesThePlace) {
  struct {
    const char* member;
    const char* message;
  } const table[] = {
      {R"("acks": "1")", ": /kafka/acks: it is Penstock's to set: "},
      {R"("no/such": 1)", ": /kafka/no~1such: No such configuration property"},
      {R"("socket.timeout.ms": "soon")", ": /kafka/socket.timeout.ms: Invalid value"},
  };
  const std::vector<std::vector<std::string>> commands{
      {"topics", "check"},
      {"work"},
      {"limits", "list"},
      {"pauses"},
      {"pause", "mail"},
      {"upgrade", "finish", "mail"},
      {"jobs", "list", "--queue", "mail"},
      {"enqueue", "--queue", "mail", "--from", "/dev/null"}};
  for (const auto& [member, message] : table) {
    const TemporaryFile file(std::string(R"({"kafka": {"bootstrap.servers": "a:1", )") + member +
                             R"(}, "queues": {"mail": {}}})");
    for (std::vector<std::string> command : commands) {
      command.insert(command.begin(), {"--config", file.path()});
      const Printed printed = Stage().run(command);
      EXPECT_EQ(printed.status, 2) << printed.err;
      EXPECT_THAT(printed.err, StartsWith("penstock: " + file.path() + message));
    }
  }
  const Printed printed =
      Stage().run({"--brokers", "b:1", "-X", "acks=1", "topics", "create", "q"});
  EXPECT_EQ(printed.status, 2);
  EXPECT_THAT(printed.err, StartsWith("penstock: -X acks: it is Penstock's to set: "));
}

TEST(Program, OptionsStandOverTheConfigFile) {
  const TemporaryFile file(
      R"({"kafka": {"bootstrap.servers": "a:1", "debug": "all", "socket.timeout.ms": 9000}, "queues": {"mail": {}}})");
  Stage stage;
  const Printed printed =
      stage.run({"--config", file.path(), "--brokers", "b:2", "-X", "socket.timeout.ms=8000", "-X",
                 "sasl.username=y=z", "topics", "create"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  const std::map<std::string, std::string> expected{{"bootstrap.servers", "b:2"},
                                                    {"debug", "all"},
                                                    {"sasl.username", "y=z"},
                                                    {"socket.timeout.ms", "8000"}};
  EXPECT_EQ(stage.opened_with.kafka, expected);
}

TEST(Program, GlobalOptionsMayFollowTheCommand) {
  Stage stage;
  const Printed printed =
      stage.run({"topics", "create", "mail", "--brokers", "b:2", "-X", "debug=all", "--json"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(stage.opened_with.kafka.at("bootstrap.servers"), "b:2");
  EXPECT_EQ(stage.opened_with.kafka.at("debug"), "all");
  EXPECT_THAT(printed.out, StartsWith("{\"change\":"));
}

TEST(Program, TheValueOfAKafkaPropertyIsInNoError) {
  const TemporaryFile file(
      R"({"kafka": {"bootstrap.servers": "b:1", "sasl.pasword": "swordfish"}})");
  const std::vector<std::vector<std::string>> table{
      {"--config", file.path(), "topics", "check"},
      {"-X", "sasl.pasword=swordfish", "--brokers", "b:1", "topics", "check"},
      {"-X", "=swordfish", "--brokers", "b:1", "topics", "check"},
      {"-X", "swordfish", "--brokers", "b:1", "topics", "check"}};
  for (const auto& arguments : table) {
    const Printed printed = Stage().run(arguments);
    EXPECT_EQ(printed.status, 2);
    EXPECT_EQ(printed.err.find("swordfish"), std::string::npos) << printed.err;
  }
}

TEST(Program, AQueueMayHaveTheNameOfACommand) {
  Stage stage;
  const Printed printed = stage.run({"--brokers", "b:2", "topics", "create", "jobs", "create"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_TRUE(stage.topics.topics.contains("penstock.jobs"));
  EXPECT_TRUE(stage.topics.topics.contains("penstock.create"));
}

class Environment : public testing::Test {
 protected:
  ~Environment() override {
    unsetenv("PENSTOCK_CONFIG");
    unsetenv("PENSTOCK_BROKERS");
  }
};

TEST_F(Environment, StandsInForTheOptions) {
  const TemporaryFile file(R"({"queues": {"mail": {}}})");
  setenv("PENSTOCK_CONFIG", file.path().c_str(), 1);
  setenv("PENSTOCK_BROKERS", "env:1", 1);
  Stage stage;
  EXPECT_EQ(stage.run({"topics", "create"}).status, 0);
  EXPECT_EQ(stage.opened_with.kafka.at("bootstrap.servers"), "env:1");
  EXPECT_EQ(stage.opened_with.queues.size(), 1u);
}

TEST_F(Environment, GivesWayToTheOptions) {
  setenv("PENSTOCK_CONFIG", "/nonexistent", 1);
  setenv("PENSTOCK_BROKERS", "env:1", 1);
  const TemporaryFile file(R"({"queues": {"mail": {}}})");
  for (const bool before : {true, false}) {
    std::vector<std::string> arguments{"topics", "create"};
    arguments.insert(before ? arguments.begin() : arguments.end(),
                     {"--brokers", "option:1", "--config", file.path()});
    Stage stage;
    const Printed printed = stage.run(arguments);
    EXPECT_EQ(printed.status, 0) << printed.err;
    EXPECT_EQ(stage.opened_with.kafka.at("bootstrap.servers"), "option:1");
  }
}

TEST(Program, WhatCannotBePrintedIsAFailure) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  Output output(out, err, {});
  TopicsInMemory topics;
  Services services{.open_log = [&topics](const Config&) -> Result<std::unique_ptr<Log>> {
                      return std::make_unique<TopicsOnlyLog>(topics);
                    },
                    .open_sender = {}};
  Program program(output, std::move(services));
  add_commands(program);
  EXPECT_EQ(program.run({"--brokers", "b:1", "topics", "create", "mail"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace penstock
