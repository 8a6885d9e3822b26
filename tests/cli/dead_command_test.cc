// The dead commands on a simulated log, with a worker played by a server in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/fake_worker.h"
#include "tests/cli/temporary_file.h"
#include "topics/partitioner.h"
#include "topics/simulated/simulated_log.h"

namespace penstock {
namespace {

using testing::HasSubstr;
using testing::Not;
using Values = std::vector<std::string>;

class DeadCommand : public testing::Test {
 protected:
  static constexpr const char* kDead = "penstock.mail.dead";
  static constexpr const char* kNobody = "127.0.0.1:1";  // nothing listens there

  DeadCommand() {
    SimulatedLog log(cluster_, host_);
    for (const char* const topic : {"penstock.mail", kDead})
      EXPECT_TRUE(log.create({.name = topic, .partitions = 2, .replication = 1, .config = {}}));
  }

  void die(std::string_view key, std::string_view value, std::string_view reason,
           std::string_view at = "2026-03-01T12:00:00.000Z") {
    const std::string source = "penstock.mail/1/" + std::to_string(died_++);
    const std::vector<HeaderView> headers{{"trace", "t"},
                                          {"penstock-reason", reason},
                                          {"penstock-detail", "because"},
                                          {"penstock-source", source},
                                          {"penstock-attempts", "3"},
                                          {"penstock-at", at}};
    cluster_.append(kDead, 0, {.key = key, .value = value, .headers = headers});
  }

  Printed run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--brokers", "b:1", "dead"});
    std::ostringstream out, err;
    Output output(out, err, Terminal());
    Program program(output, {.open_log = [this](const Config&) -> Result<std::unique_ptr<Log>> {
                               return std::make_unique<SimulatedLog>(cluster_, host_);
                             },
                             .open_sender = {}});
    add_commands(program);
    const int status = program.run(arguments);
    return {status, out.str(), err.str()};
  }
  Printed list(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"list", "--queue", "mail"});
    return run(std::move(arguments));
  }
  Printed resend(const std::string& worker, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"resend", "--queue", "mail", "--http", worker});
    return run(std::move(arguments));
  }

  [[nodiscard]] Values sent(std::string_view account) {
    Values values;
    const auto& of = cluster_.partition("penstock.mail", partition_of(account, 2));
    for (Offset at; at < of.end(); at = at.next()) values.emplace_back(*of.at(at).value);
    return values;
  }

  static ClusterOptions options() {
    ClusterOptions options;
    options.wait_passes_time = true;
    return options;
  }
  SimulatedCluster cluster_{options()};
  SimulatedHost& host_ = cluster_.add_host();
  int died_ = 0;
};

constexpr const char* kSend = R"({"type":"send","id":"a-1"})";
const FakeWorker::Answer kNoSuchJob = always(404, {{"member", "id"}, {"detail", "no such job"}});

TEST_F(DeadCommand, ListPrintsALinePerRecordWithItsValueBelow) {
  die("acme", kSend, "attempts_exhausted");
  die("globex", "{", "bad_json");
  const Printed printed = list();
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.out,
            "2026-03-01T12:00:00.000Z\tattempts_exhausted\tsend\tacme\ta-1\t3\t26\t0/0\tbecause\n"
            "  {\"type\":\"send\",\"id\":\"a-1\"}\n"
            "2026-03-01T12:00:00.000Z\tbad_json\t-\tglobex\t-\t3\t1\t0/1\tbecause\n"
            "  {\n");
  EXPECT_EQ(printed.err, "");
}

TEST_F(DeadCommand, ListShowsBytesThatAreNoPrintableTextInHexadecimal) {
  using std::string_literals::operator""s;
  die("acme", "\x00\xff\xe2\x82\xac\xe2\x82|\x1b[2J\n{\"a\":1}"s, "bad_json");
  die("acme", "", "bad_json");
  EXPECT_THAT(list().out, HasSubstr("\n  \\x00\\xff\xe2\x82\xac\\xe2\\x82|\\x1b[2J\\n{\"a\":1}\n"));
  EXPECT_THAT(list().out, HasSubstr("\n  (empty)\n"));
}

TEST_F(DeadCommand, ListCutsAValueBetweenCharacters) {
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  die("acme", repeated("é", 120), "bad_json");
  die("acme", repeated("é", 121), "bad_json");
  die("acme", repeated("\xff", 31), "bad_json");
  const std::string out = list().out;
  EXPECT_THAT(out, HasSubstr("\n  " + repeated("é", 120) + "\n"));
  EXPECT_THAT(out, HasSubstr("\n  " + repeated("é", 120) + "...\n"));
  EXPECT_THAT(out, HasSubstr("\n  " + repeated("\\xff", 30) + "...\n"));
}

TEST_F(DeadCommand, ListPrintsJsonWithTheValueAndTheHeaders) {
  die("acme", kSend, "discarded");
  const auto json = ordered_json::parse(list({"--json"}).out);
  EXPECT_EQ(json["queue"], "mail");
  EXPECT_EQ(json["value"], kSend);
  EXPECT_EQ(json["headers"], ordered_json::parse(R"([{"name":"trace","value":"t"}])"));
}

TEST_F(DeadCommand, FiltersSelect) {
  die("acme", kSend, "discarded", "2026-03-01T12:00:00.000Z");
  die("globex", "{", "bad_json", "2026-03-02T12:00:00.000Z");
  die("globex", kSend, "crashed", "2026-03-03T12:00:00.000Z");
  const auto records = [this](std::vector<std::string> filters) {
    const std::string out = list(std::move(filters)).out;
    return std::count(out.begin(), out.end(), '\n') / 2;
  };
  EXPECT_EQ(records({"--reason", "bad_json,crashed"}), 2);
  EXPECT_EQ(records({"--reason", "bad_json", "--reason", "discarded"}), 2);
  EXPECT_EQ(records({"--account", "globex", "--type", "send"}), 1);
  EXPECT_EQ(records({"--from", "2026-03-02T00:00:00Z"}), 2);
  EXPECT_EQ(records({"--to", "2026-03-02T00:00:00Z"}), 1);
  EXPECT_EQ(records({"--limit", "2"}), 2);
  EXPECT_THAT(list({"--limit", "2"}).err, HasSubstr("There are more"));
}

TEST_F(DeadCommand, WrongUsageAndAQueueThatIsNotThereAreToldApart) {
  EXPECT_EQ(list({"--reason", "bad"}).status, 2);
  EXPECT_THAT(list({"--reason", "bad"}).err, HasSubstr("attempts_exhausted"));
  EXPECT_EQ(list({"--from", "yesterday"}).status, 2);
  EXPECT_EQ(resend(kNobody, {"--through", "noop"}).status, 2);
  const Printed missing = run({"list", "--queue", "mial"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_THAT(missing.err, HasSubstr("penstock.mial.dead"));
}

TEST_F(DeadCommand, ResendSendsAJobThatIsNotKeptOnce) {
  die("acme", kSend, "discarded");
  FakeWorker worker(kNoSuchJob);
  const Printed printed = resend(worker.address());
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(printed.err, "Sent 1 of 1 dead record.\n");
  EXPECT_EQ(sent("acme"), Values{kSend});
  EXPECT_EQ(worker.requests().at(0).get_param_value("account"), "acme");
}

TEST_F(DeadCommand, ResendRetriesAJobThatIsKeptDeadAndLeavesALiveOneAlone) {
  die("acme", kSend, "discarded");
  {
    FakeWorker worker(always(200, job("a-1", "acme", "dead")));
    EXPECT_EQ(resend(worker.address()).status, 0);
  }
  EXPECT_EQ(sent("acme"), Values{R"({"op":"retry","id":"a-1"})"});
  FakeWorker worker(always(200, job("a-1", "acme", "succeeded")));
  const Printed again = resend(worker.address(), {"--json"});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, R"({"listed":1,"sent":0,"already":1,"left_out":0,"failed":{},)"
                       R"("queue":"mail","dry_run":false})"
                       "\n");
  EXPECT_EQ(sent("acme").size(), 1u);
}

TEST_F(DeadCommand, ResendWorksWithoutAWorkerAndSaysWhatItDid) {
  die("acme", kSend, "discarded");
  die("acme", R"({"type":"send"})", "crashed");
  const Printed printed = resend(kNobody);
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.err, HasSubstr("Sent 2 of 2 dead records.\nNo worker was asked"));
  EXPECT_EQ(sent("acme"), (Values{R"({"op":"retry","id":"a-1"})", kSend,
                                  R"({"op":"retry","id":"penstock.mail/1/1"})",
                                  R"({"id":"penstock.mail/1/1","type":"send"})"}));
}

TEST_F(DeadCommand, WhatCannotBeSentIsNamedAndFailsTheCommand) {
  die("acme", R"({"type":"send","run_att":1})", "bad_field");
  die("acme", kSend, "discarded");
  FakeWorker worker(kNoSuchJob);
  const Printed printed = resend(worker.address());
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("partition 0, offset 0: bad_field: /run_att: "));
  EXPECT_THAT(printed.err, HasSubstr("Sent 1 of 2 dead records; 1 failed (bad_field 1).\n"));
  EXPECT_EQ(sent("acme"), Values{kSend});
}

TEST_F(DeadCommand, ADryRunSendsNothing) {
  die("acme", kSend, "discarded");
  const Printed printed = resend(kNobody, {"--dry-run"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.err, HasSubstr("Would send 1 of 1 dead record."));
  EXPECT_TRUE(sent("acme").empty());
}

// A program that answers every line with what the shell script prints.
std::string each_line(const std::string& script) {
  return "exec:/bin/sh -c 'while read -r line; do " + script + "; done'";
}

TEST_F(DeadCommand, AProgramRepairsRecordsOrLeavesThemOut) {
  die("acme", "broken", "bad_json");
  die("acme", "hopeless", "bad_json");
  FakeWorker worker(kNoSuchJob);
  const Printed printed =
      resend(worker.address(),
             {"--through",
              each_line("case $line in *hopeless*) echo null;; "
                        "*) echo \"{\\\"type\\\":\\\"send\\\",\\\"account\\\":\\\"bolt\\\"}\";; "
                        "esac")});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_THAT(printed.err, HasSubstr("Sent 1 of 2 dead records; 1 left out."));
  EXPECT_EQ(sent("bolt"), Values{R"({"id":"penstock.mail/1/0","type":"send"})"});
}

TEST_F(DeadCommand, AnAnswerThatCannotBeUsedFailsItsRecordAlone) {
  die("acme", "one", "bad_json");
  die("acme", "two", "bad_json");
  const Printed printed = resend(
      kNobody, {"--through", each_line("case $line in *one*) echo 17;; *) echo null;; esac")});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("bad_answer: the program's answer is 17"));
  EXPECT_THAT(printed.err, HasSubstr("1 left out; 1 failed (bad_answer 1)"));
}

TEST_F(DeadCommand, AProgramThatEndsOrSaysTooMuchEndsTheCommand) {
  die("acme", "one", "bad_json");
  die("acme", "two", "bad_json");
  const Printed ended =
      resend(kNobody, {"--through", "exec:/bin/sh -c 'read -r line; echo oops >&2; exit 3'"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.err, HasSubstr("/bin/sh ended before it had answered for every record"));
  EXPECT_THAT(ended.err, HasSubstr("oops"));
  const Printed twice = resend(kNobody, {"--through", each_line("printf \"null\\nnull\\n\"")});
  EXPECT_EQ(twice.status, 1);
  EXPECT_THAT(twice.err, HasSubstr("/bin/sh wrote a line that nothing asked for"));
  EXPECT_EQ(resend(kNobody, {"--through", "exec:/no/such/program"}).status, 2);
}

TEST_F(DeadCommand, TheProgramGetsEveryByteOfTheRecord) {
  const std::string value = std::string(200'000, 'v') + "\xff";
  die("acme", value, "bad_json");
  const TemporaryFile seen("");
  const Printed printed = resend(
      kNobody,
      {"--dry-run", "--through", each_line("printf %s \"$line\" >" + seen.path() + "; echo null")});
  EXPECT_EQ(printed.status, 0) << printed.err;
  std::ifstream file(seen.path());
  const auto json = ordered_json::parse(file);
  EXPECT_EQ(json["value_hex"].get<std::string>().size(), 2 * value.size());
  EXPECT_EQ(json["account"], "acme");
  EXPECT_EQ(json["headers"][0]["name"], "trace");
}

}  // namespace
}  // namespace penstock
