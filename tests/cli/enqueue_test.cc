#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/enqueue/bulk_text.h"
#include "cli/enqueue/enqueue_command.h"
#include "cli/enqueue/enqueue_record.h"
#include "cli/enqueue/line_source.h"
#include "producer/job_sender.h"
#include "tests/producer/fake_produce_client.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr Time kNow = time_from_ms(1'000'000);

std::string record_of(EnqueueOptions options) {
  options.queue = "mail";
  if (options.type.empty()) options.type = "t";
  if (options.account.empty()) options.account = "acme";
  const auto record = enqueue_record(options, kNow);
  return record ? *record : record.error().message;
}

TEST(EnqueueRecord, HasOnlyWhatWasGiven) { EXPECT_EQ(record_of({}), R"({"type":"t"})"); }

TEST(EnqueueRecord, KeepsArgsAsTheyAreWritten) {
  EXPECT_EQ(record_of({.args = R"({"n":1.00})"}), R"({"type":"t","args":{"n":1.00}})");
}

TEST(EnqueueRecord, TakesOneValueAsArgsAndNoMore) {
  EXPECT_THAT(record_of({.args = R"(1,"priority":5)"}), HasSubstr("--args"));
  EXPECT_THAT(record_of({.args = "{"}), HasSubstr("--args"));
}

TEST(EnqueueRecord, QuotesText) {
  const auto record = json::parse(record_of({.id = "a\"b\\c\n"}));
  EXPECT_EQ(record.at("id"), "a\"b\\c\n");
}

TEST(EnqueueRecord, TakesTimesInEveryForm) {
  EXPECT_EQ(record_of({.run_at = "17"}), R"({"type":"t","run_at":17})");
  EXPECT_EQ(record_of({.run_at = "2026-01-01T00:00:00Z"}),
            R"({"type":"t","run_at":"2026-01-01T00:00:00Z"})");
  EXPECT_EQ(record_of({.in = "5s"}), R"({"type":"t","run_at":1005000})");
  EXPECT_THAT(record_of({.in = "5"}), HasSubstr("--in"));
}

TEST(EnqueueRecord, HasThePriority) {
  EXPECT_EQ(record_of({.priority = -3}), R"({"type":"t","priority":-3})");
}

TEST(EnqueueRecord, HasTheWeight) {
  EXPECT_EQ(record_of({.weight = 7}), R"({"type":"t","weight":7})");
}

TEST(EnqueueUsage, ABulkNeedsATypeAndAnAccountAndMakesItsIds) {
  const EnqueueOptions good{.queue = "q", .type = "t", .account = "a", .from = "-", .bulk = "b"};
  EXPECT_TRUE(check_enqueue_usage(good));
  EnqueueOptions bad = good;
  bad.account.clear();
  EXPECT_FALSE(check_enqueue_usage(bad));
  bad = good;
  bad.id = "mine";
  EXPECT_FALSE(check_enqueue_usage(bad));
  bad = good;
  bad.chunk = "0";
  EXPECT_FALSE(check_enqueue_usage(bad));
  EXPECT_FALSE(check_enqueue_usage({.queue = "q", .type = "t", .account = "a", .chunk = "3"}));
}

TEST(EnqueueUsage, IsOneJobOrAFile) {
  EXPECT_FALSE(check_enqueue_usage({.queue = "q"}));
  EXPECT_FALSE(check_enqueue_usage({.queue = "q", .type = "t"}));
  EXPECT_TRUE(check_enqueue_usage({.queue = "q", .type = "t", .account = "a"}));
  EXPECT_TRUE(check_enqueue_usage({.queue = "q", .from = "-"}));
  EXPECT_FALSE(check_enqueue_usage({.queue = "q", .type = "t", .from = "-"}));
  EXPECT_FALSE(
      check_enqueue_usage({.queue = "q", .type = "t", .account = "a", .run_at = "1", .in = "1s"}));
}

TEST(LineSource, GivesEveryLineWithItsNumber) {
  std::istringstream in("a\n\nccc\nlast");
  LineSource lines(in, 10);
  std::vector<std::string> texts;
  while (const auto line = lines.next()) {
    EXPECT_EQ(line->number, texts.size() + 1);
    texts.emplace_back(line->text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "", "ccc", "last"}));
  EXPECT_EQ(lines.bytes_read(), 11u);
}

TEST(LineSource, PassesOverWhatIsTooLong) {
  const std::string longer_than_a_chunk(200'000, 'x');
  std::istringstream in("abcd\n" + longer_than_a_chunk + "\nabcde\n");
  LineSource lines(in, 4);
  EXPECT_FALSE(lines.next()->too_long);
  EXPECT_TRUE(lines.next()->too_long);
  const auto last = lines.next();
  EXPECT_TRUE(last->too_long);
  EXPECT_EQ(last->text, "abcd");
  EXPECT_FALSE(lines.next());
}

class EnqueueTest : public testing::Test {
 protected:
  Exit run(const EnqueueOptions& options, const std::string& input = "",
           JobSenderOptions sender = {}) {
    Producer producer(
        std::make_unique<JobSender>(std::make_unique<FakeProduceClient>(log_), std::move(sender)));
    std::istringstream in(input);
    Output output(out_, err_, Terminal{});
    if (json_) output.use_json();
    return enqueue(options, producer, {in}, output);
  }

  FakeLog log_;
  bool json_ = false;
  std::ostringstream out_, err_;
};

TEST_F(EnqueueTest, PrintsTheIdOfOneJob) {
  log_.set_acknowledging(true);
  EXPECT_EQ(run({.queue = "mail", .type = "t", .account = "acme", .id = "a"}), Exit::kDone);
  EXPECT_EQ(out_.str(), "a\n");
  EXPECT_EQ(log_.wait_for_records(1)[0].key, "acme");
}

TEST_F(EnqueueTest, SplitsAFileOfItemsIntoABulk) {
  log_.set_acknowledging(true);
  const EnqueueOptions options{.queue = "mail",
                               .type = "t",
                               .account = "acme",
                               .args = R"({"by":"me"})",
                               .from = "-",
                               .bulk = "b",
                               .chunk = "2",
                               .on_done = R"({"type":"report"})"};
  EXPECT_EQ(run(options, "1\n\"two\"\n\n{\"n\":3}\n"), Exit::kDone) << err_.str();
  EXPECT_EQ(out_.str(), "b\n");
  const auto records = log_.wait_for_records(2);
  EXPECT_EQ(json::parse(records[0].value),
            json::parse(R"({"type":"t","id":"b/0","args":{"by":"me","items":[1,"two"]},
                            "bulk":{"id":"b","index":0,"size":2,"on_done":{"type":"report"}}})"));
  EXPECT_EQ(json::parse(records[1].value)["args"]["items"], json::parse(R"([{"n":3}])"));
}

TEST_F(EnqueueTest, SplitsTheItemsOfArgsIntoABulk) {
  log_.set_acknowledging(true);
  json_ = true;
  EXPECT_EQ(run({.queue = "mail",
                 .type = "t",
                 .account = "acme",
                 .args = R"({"items":[1,2,3]})",
                 .bulk = "b",
                 .chunk = "1"}),
            Exit::kDone);
  EXPECT_THAT(out_.str(), HasSubstr(R"({"id":"b/2","queue":"mail")"));
}

TEST_F(EnqueueTest, ABulkWithABadItemIsNotSent) {
  const EnqueueOptions options{
      .queue = "mail", .type = "t", .account = "acme", .from = "-", .bulk = "b"};
  EXPECT_EQ(run(options, "1\nnot json\n"), Exit::kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("line 2"));
  EXPECT_EQ(run(options, ""), Exit::kUsage);
  EXPECT_EQ(log_.produced(), 0u);
}

TEST_F(EnqueueTest, ABulksItemsAndArgsAreHandedOnAsTheyAreWritten) {
  log_.set_acknowledging(true);
  const EnqueueOptions from_lines{.queue = "mail",
                                  .type = "t",
                                  .account = "acme",
                                  .args = R"({ "price": 1.10, "n": 12345678901234567890123 })",
                                  .from = "-",
                                  .bulk = "b"};
  EXPECT_EQ(run(from_lines, " 1.00 \r\n{\"n\" : 18446744073709551616}\n"), Exit::kDone);
  EXPECT_EQ(log_.wait_for_records(1)[0].value,
            R"({"type":"t","id":"b/0","args":{"price": 1.10,"n": 12345678901234567890123,)"
            R"("items":[1.00,{"n" : 18446744073709551616}]},)"
            R"("bulk":{"id":"b","index":0,"size":1}})");
  EnqueueOptions from_args = from_lines;
  from_args.from.clear();
  from_args.args = R"({"a":"]}\"","items":[ 0.10 , [2,{"x":"]"}]],"b":1e2})";
  EXPECT_EQ(run(from_args), Exit::kDone) << err_.str();
  EXPECT_EQ(log_.wait_for_records(2)[1].value,
            R"({"type":"t","id":"b/0","args":{"a":"]}\"","b":1e2,"items":[0.10,[2,{"x":"]"}]]},)"
            R"("bulk":{"id":"b","index":0,"size":1}})");
}

TEST_F(EnqueueTest, WhatABulkCannotBeMadeOfIsRefusedAndNothingIsSent) {
  const EnqueueOptions good{
      .queue = "mail", .type = "t", .account = "acme", .from = "-", .bulk = "b"};
  for (const char* args : {"[]", "7", "{", R"({"items":[1]})"}) {
    EnqueueOptions bad = good;
    bad.args = args;
    EXPECT_EQ(run(bad, "1\n"), Exit::kUsage) << args;
  }
  for (const char* args : {"", "{}", R"({"items":7})", R"({"items":[]})",
                           R"({"items":[1],"items":[2]})", R"({"items":[{"a":1,"a":2}]})"}) {
    EnqueueOptions bad = good;
    bad.from.clear();
    bad.args = args;
    EXPECT_EQ(run(bad), Exit::kUsage) << args;
  }
  EnqueueOptions bad = good;
  bad.on_done = "[]";
  EXPECT_EQ(run(bad, "1\n"), Exit::kUsage);
  EXPECT_EQ(run(good, "1],\"x\":[2\n"), Exit::kUsage);
  EXPECT_EQ(log_.produced(), 0u);
}

TEST_F(EnqueueTest, TheSizeOfABulksChunksIsSaidAndIsWhatAFailureAsksFor) {
  log_.set_opened({.partitions = 0, .error = OpenError::kRefused, .detail = "not allowed"});
  EXPECT_EQ(run({.queue = "mail",
                 .type = "t",
                 .account = "acme",
                 .from = "-",
                 .bulk = "b",
                 .chunk = "auto",
                 .item_time = std::chrono::seconds(2)},
                "1\n2\n3\n"),
            Exit::kFailed);
  EXPECT_THAT(err_.str(),
              HasSubstr("Sending 3 items in 2 chunks (to send them again, use --chunk 2)."));
  EXPECT_THAT(err_.str(), HasSubstr("2 of 2 chunks were not acknowledged; run the same command "
                                    "again with --chunk 2"));
}

TEST_F(EnqueueTest, ABulkThatWasSentBeforeIsSplitAsItWasOrNotSent) {
  log_.set_acknowledging(true);
  EnqueueOptions again{.queue = "mail",
                       .type = "t",
                       .account = "acme",
                       .from = "-",
                       .bulk = "b",
                       .chunk = "auto",
                       .known_chunks = 2};
  EXPECT_EQ(run(again, "1\n2\n3\n"), Exit::kDone) << err_.str();
  EXPECT_EQ(json::parse(log_.wait_for_records(2)[0].value)["args"]["items"], json::parse("[1,2]"));
  EXPECT_EQ(run(again, "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), Exit::kFailed);
  EXPECT_THAT(err_.str(), HasSubstr("in 2 chunks: to send the missing chunks, use the --chunk with "
                                    "which the bulk was sent"));
  EXPECT_THAT(err_.str(), HasSubstr("from 5 to 8"));
  EXPECT_EQ(log_.produced(), 2u);
}

TEST(BulkText, OneSizeOrNoneMakesSoManyChunks) {
  for (std::size_t items = 1; items <= 40; ++items) {
    for (std::size_t chunks = 1; chunks <= 45; ++chunks) {
      std::set<std::size_t> fitting;
      for (std::size_t size = 1; size <= items; ++size) {
        if ((items - 1) / size + 1 == chunks) fitting.insert(size);
      }
      const auto found = items_per_chunk_of(items, chunks);
      ASSERT_EQ(found.has_value(), chunks == 1 || fitting.size() == 1) << items << "/" << chunks;
      if (found) {
        EXPECT_TRUE(fitting.contains(*found));
      }
    }
  }
}

TEST_F(EnqueueTest, PrintsWhereTheJobLiesAsJson) {
  log_.set_acknowledging(true);
  json_ = true;
  EXPECT_EQ(run({.queue = "mail", .type = "t", .account = "acme", .id = "a"}), Exit::kDone);
  EXPECT_EQ(out_.str(), R"({"id":"a","queue":"mail","account":"acme","partition":3,"offset":0})"
                        "\n");
}

TEST_F(EnqueueTest, RefusesABadJobAsWrongUsage) {
  EXPECT_EQ(run({.queue = "mail", .type = "no spaces", .account = "acme"}), Exit::kUsage);
  EXPECT_THAT(err_.str(), HasSubstr("/type"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(EnqueueTest, FailsWhenTheTopicIsNotThere) {
  log_.set_opened({.partitions = 0, .error = OpenError::kRefused, .detail = "not allowed"});
  EXPECT_EQ(run({.queue = "mail", .type = "t", .account = "acme"}), Exit::kFailed);
  EXPECT_THAT(err_.str(), HasSubstr("not allowed"));
}

TEST_F(EnqueueTest, TakesTheAccountOutOfEachLine) {
  log_.set_acknowledging(true);
  EXPECT_EQ(run({.queue = "mail", .from = "-"},
                R"({"account":"a","type":"t","id":"1"})"
                "\n"
                R"({"type":"t","id":"2", "account" : "b" ,"args":{"account":"kept"}})"),
            Exit::kDone);
  const auto records = log_.wait_for_records(2);
  EXPECT_EQ(records[0].key, "a");
  EXPECT_EQ(records[0].value, R"({"type":"t","id":"1"})");
  EXPECT_EQ(records[1].key, "b");
  EXPECT_EQ(records[1].value, R"({"type":"t","id":"2","args":{"account":"kept"}})");
  EXPECT_THAT(err_.str(), HasSubstr("Enqueued 2 jobs to mail"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(EnqueueTest, ListsBadLinesByNumberAndSendsTheOthers) {
  log_.set_acknowledging(true);
  EXPECT_EQ(run({.queue = "mail", .from = "-"},
                "{\"account\":\"a\",\"type\":\"t\"}\n"
                "not json\n"
                "\n"
                "{\"type\":\"t\"}\n"
                "{\"account\":\"a\",\"type\":\"t\",\"run_att\":1}\r\n"
                "{\"account\":7,\"type\":\"t\"}\n"
                "[]\n"
                "{\"account\":\"a\",\"type\":\"t\"}\n"),
            Exit::kFailed);
  EXPECT_EQ(log_.produced(), 2u);
  const auto said = err_.str();
  EXPECT_THAT(said, HasSubstr("line 2: "));
  EXPECT_THAT(said, Not(HasSubstr("line 3: ")));
  EXPECT_THAT(said, HasSubstr("line 4: /account"));
  EXPECT_THAT(said, HasSubstr("line 5: /run_att"));
  EXPECT_THAT(said, HasSubstr("line 6: /account"));
  EXPECT_THAT(said, HasSubstr("line 7: "));
  EXPECT_THAT(said, HasSubstr("5 lines not enqueued"));
}

TEST_F(EnqueueTest, PrintsAJsonLineForEachJobOfAFile) {
  log_.set_acknowledging(true);
  json_ = true;
  EXPECT_EQ(run({.queue = "mail", .from = "-"},
                "{\"account\":\"a\",\"type\":\"t\",\"id\":\"1\"}\n"
                "{\"account\":\"b\",\"type\":\"t\",\"id\":\"2\"}\n"),
            Exit::kDone);
  EXPECT_EQ(out_.str(),
            "{\"id\":\"1\",\"queue\":\"mail\",\"account\":\"a\",\"partition\":3,\"offset\":0}\n"
            "{\"id\":\"2\",\"queue\":\"mail\",\"account\":\"b\",\"partition\":3,\"offset\":1}\n");
}

TEST_F(EnqueueTest, WaitsForSpaceWhenTheFileIsLargerThanTheBuffer) {
  log_.set_acknowledging(true);
  std::string input;
  for (int i = 0; i < 500; ++i) input += "{\"account\":\"a\",\"type\":\"t\"}\n";
  EXPECT_EQ(run({.queue = "mail", .from = "-"}, input, {.buffer_messages = 10}), Exit::kDone);
  EXPECT_EQ(log_.produced(), 500u);
}

TEST_F(EnqueueTest, StopsWhenKafkaGivesUpAndSaysWhere) {
  log_.set_opened({.partitions = 0, .error = OpenError::kRefused, .detail = "not allowed"});
  std::string input;
  for (int i = 0; i < 50'000; ++i) input += "{\"account\":\"a\",\"type\":\"t\"}\n";
  EXPECT_EQ(run({.queue = "mail", .from = "-"}, input, {.buffer_messages = 10}), Exit::kFailed);
  EXPECT_THAT(err_.str(), HasSubstr("line 1: "));
  EXPECT_THAT(err_.str(), HasSubstr("later lines were not read"));
}

TEST_F(EnqueueTest, OneJobHasEveryMemberThatIsGiven) {
  log_.set_acknowledging(true);
  EXPECT_EQ(run({.queue = "mail",
                 .type = "t",
                 .account = "acme",
                 .id = "a",
                 .run_at = "5",
                 .expires_at = "2031-01-01T00:00:00Z",
                 .priority = 1,
                 .weight = 2,
                 .unique_key = "k\"",
                 .meta = R"({"n":1.0})",
                 .bulk = "b",
                 .on_done = R"({"type":"d"})",
                 .bulk_index = 3,
                 .bulk_size = 7}),
            Exit::kDone)
      << err_.str();
  EXPECT_EQ(log_.wait_for_records(1)[0].value,
            R"({"type":"t","id":"a","run_at":5,"expires_at":"2031-01-01T00:00:00Z","priority":1,)"
            R"("weight":2,"bulk":{"id":"b","index":3,"size":7,"on_done":{"type":"d"}},)"
            R"("unique_key":"k\"","meta":{"n":1.0}})");
}

TEST(EnqueueUsage, WhatDoesNotFitTogetherIsRefused) {
  const EnqueueOptions good{.queue = "q", .type = "t", .account = "a"};
  EXPECT_TRUE(check_enqueue_usage(good));
  const auto refused = [&good](auto change) {
    EnqueueOptions bad = good;
    change(bad);
    return !check_enqueue_usage(bad);
  };
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.expires_at = o.expires_in = "1h"; }));
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.bulk_index = 1; }));
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.bulk = "b", o.bulk_size = 1; }));
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.bulk = "b", o.unique_key = "k"; }));
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.from = "-"; }));
  EXPECT_TRUE(refused([](EnqueueOptions& o) { o.on_done = "{}"; }));
}

// Stops once the lines up to `number` have been read.
Exit enqueue_until(std::uint64_t number, FakeLog& log, std::ostringstream& err,
                   JobSenderOptions options = {}) {
  Producer producer(
      std::make_unique<JobSender>(std::make_unique<FakeProduceClient>(log), std::move(options)));
  std::ostringstream out;
  Output output(out, err, Terminal{});
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "{\"account\":\"a\",\"type\":\"t\"}\n";
  std::istringstream in(lines);
  std::uint64_t asked = 0;
  return enqueue({.queue = "mail", .from = "-"}, producer,
                 {.stream = in, .stopped = [&] { return asked++ >= number; }}, output);
}

TEST_F(EnqueueTest, AUserWhoStopsItLearnsUpToWhichLineEverythingIsSafe) {
  log_.set_acknowledging(true);
  EXPECT_EQ(enqueue_until(7, log_, err_), Exit::kFailed);
  EXPECT_EQ(log_.produced(), 7u);
  EXPECT_THAT(err_.str(), HasSubstr("Enqueued 7 jobs to mail."));
  EXPECT_THAT(err_.str(), HasSubstr("stopped after line 7; every line up to it is acknowledged or "
                                    "listed above: go on with line 8, such as with `tail -n +8 "));
}

TEST_F(EnqueueTest, SaysThatAFileCannotBeRead) {
  EXPECT_EQ(run({.queue = "mail", .from = "/nonexistent/jobs"}), Exit::kFailed);
  EXPECT_THAT(err_.str(), HasSubstr("/nonexistent/jobs"));
}

}  // namespace
}  // namespace penstock
