// From a record to a job, a duplicate, a dead letter or a forwarded record.
#include <nlohmann/json.hpp>

#include "state/log/log_entry.h"
#include "state/rows/encoding.h"
#include "tests/consumer/task/task_fixture.h"
#include "topics/partitioner.h"
#include "topics/record/dead_record.h"
#include "topics/record/record_headers.h"

namespace penstock {
namespace {

TEST_F(Tasking, AJobIsAdmittedStartedAndEnds) {
  record("acme", R"({"type":"t","id":"a","args":{"n":1}})", {{"traceparent", "00-1"}});
  EXPECT_EQ(start(), "a");
  EXPECT_EQ(host.starts[0].args, R"({"n":1})");
  EXPECT_EQ(host.starts[0].attempt, 1);
  EXPECT_EQ(state("acme", "a"), "running");
  end("a");
  EXPECT_EQ(task->counters().succeeded, 1u);
  EXPECT_EQ(state("acme", "a"), "(none)");
}

TEST_F(Tasking, AnIdWithoutOneIsThePlaceOfTheRecord) {
  record("acme", R"({"type":"t"})");
  record("acme", R"({"type":"t"})");
  EXPECT_EQ(start(), "penstock.mail/0/0");
  end("penstock.mail/0/0");
  EXPECT_EQ(start(), "penstock.mail/0/1");
}

// -- Deduplication

TEST_F(Tasking, ARepeatedIdOfALiveJobIsADuplicateWhereverTheJobLies) {
  job("acme", "line");
  job("acme", "due", "\"run_at\":" + ms(1h));
  job("acme", "line");
  job("acme", "due");
  EXPECT_EQ(task->counters().duplicate, 2u);
  commit();
  job("acme", "line");
  job("acme", "due");
  EXPECT_EQ(task->counters().duplicate, 4u);
  EXPECT_EQ(start(), "line");
  job("acme", "line");
  EXPECT_EQ(task->counters().duplicate, 5u);
  EXPECT_EQ(task->counters().admitted, 2u);
}

TEST_F(Tasking, ARepeatedIdIsADuplicateUntilTheWindowIsOverAndANewJobAfterwards) {
  queue.dedup_window = 1h;
  job("acme", "a");
  start();
  end("a");
  commit();
  clock += 1h;
  start();
  job("acme", "a");
  EXPECT_EQ(task->counters().duplicate, 1u);
  clock += 6min;
  start();
  job("acme", "a");
  EXPECT_EQ(task->counters().duplicate, 1u);
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, TheWindowHoldsAcrossRestarts) {
  queue.dedup_window = 1h;
  job("acme", "quick");
  job("bolt", "kept");
  commit();
  start();
  end("quick");
  end("kept");
  commit();
  for (int i = 0; i < 3; ++i) {
    clock += 15min;
    restart();
    start();
    commit();
    job("acme", "quick");
    job("bolt", "kept");
    EXPECT_EQ(task->counters().duplicate, 2u) << i;
    EXPECT_EQ(start(), "");
    commit();
  }
}

TEST_F(Tasking, ForgottenIdentitiesLeaveNoRows) {
  queue.dedup_window = 1h;
  for (int i = 0; i < 20; ++i) {
    job("acme", std::to_string(i));
    start();
    end(std::to_string(i));
    commit();
    clock += 5min;
  }
  EXPECT_GT(rows_of('x'), 5u);
  clock += 2h;
  start();
  commit();
  EXPECT_EQ(rows_of('x'), 0u);
}

TEST_F(Tasking, TwoAccountsMayUseTheSameId) {
  job("acme", "a");
  job("bolt", "a");
  EXPECT_EQ(start(), "a a");
}

TEST_F(Tasking, WithoutAWindowAnIdIsFreeAsSoonAsItsJobHasEnded) {
  queue.dedup_window = 0s;
  job("acme", "a");
  job("acme", "a");
  EXPECT_EQ(task->counters().duplicate, 1u);
  start();
  end("a");
  job("acme", "a");
  EXPECT_EQ(start(), "a");
}

// -- The short way

TEST_F(Tasking, AJobThatEndsWithinItsCommitLeavesOnlyItsDigest) {
  host.instant = true;
  for (int i = 0; i < 100; ++i) job("acme", std::to_string(i));
  start();
  commit();
  EXPECT_EQ(rows_of('l') + rows_of('i') + rows_of('d') + rows_of('e'), 0u);
  EXPECT_EQ(rows_of('x'), 1u);
  for (const auto& [key, value] : store.contents().rows) {
    if (key[0] != 'x') continue;
    EXPECT_EQ(value.size(), 100 * kDigestBytes);
  }
}

TEST_F(Tasking, AJobThatEndsLaterLeavesOnlyItsDigestToo) {
  job("acme", "a", "\"expires_at\":" + ms(1h));
  commit();
  EXPECT_EQ(rows_of('l') + rows_of('i') + rows_of('y'), 3u);
  start();
  end("a");
  commit();
  EXPECT_EQ(rows_of('l') + rows_of('i') + rows_of('y'), 0u);
  EXPECT_EQ(rows_of('x'), 1u);
  EXPECT_EQ(task->jobs(), 0u);
  EXPECT_EQ(task->live_jobs(), 0u);
}

TEST_F(Tasking, AJobThatHadToStartInOrBefore1970HasExpired) {
  job("acme", "a", R"("expires_at":0)");
  job("acme", "b", R"("expires_at":-1)");
  job("acme", "c", R"("expires_at":"1970-01-01T00:00:00Z")");
  EXPECT_EQ(task->counters().expired, 3u);
  EXPECT_EQ(task->jobs(), 0u);
}

// -- Bad records

TEST_F(Tasking, ANullHeaderStaysNullWhereverItsRecordGoes) {
  const std::vector<Header> headers{{"null", std::nullopt}, {"empty", ""}};
  record("acme", "no json", headers);
  record("acme", R"({"type":"t","id":"waits"})", headers);
  commit();
  EXPECT_EQ(dead().at(0).headers.at("null"), "(null)");
  EXPECT_EQ(dead().at(0).headers.at("empty"), "");
  restart();
  EXPECT_EQ(start(), "waits");
  end("waits", Discard{"no"});
  commit();
  const auto letter = dead().back();
  EXPECT_EQ(letter.headers.at("penstock-reason"), "discarded");
  EXPECT_EQ(letter.headers.at("null"), "(null)");
  EXPECT_EQ(letter.headers.at("empty"), "");
}

TEST_F(Tasking, ABadRecordGoesToTheDeadTopicByteForByteAndThePartitionGoesOn) {
  const std::string bad("{\"type\":\"t\",\xff\x00}", 14);
  record("acme", bad, {{"a", std::string("\x00\x01", 2)}});
  job("acme", "good");
  EXPECT_EQ(start(), "good");
  EXPECT_TRUE(dead().empty());
  commit();
  ASSERT_EQ(dead().size(), 1u);
  const auto letter = dead()[0];
  EXPECT_EQ(letter.key, "acme");
  EXPECT_EQ(letter.value, bad);
  EXPECT_EQ(letter.headers.at("a"), std::string("\x00\x01", 2));
  EXPECT_EQ(letter.headers.at("penstock-reason"), "bad_json");
  EXPECT_EQ(letter.headers.at("penstock-source"), "penstock.mail/0/0");
  EXPECT_EQ(letter.headers.at("penstock-attempts"), "0");
  EXPECT_FALSE(letter.headers.at("penstock-detail").empty());
  EXPECT_EQ(task->counters().bad, 1u);
}

// Kafka's limits count compressed batches, so such records do arrive.
TEST_F(Tasking, ABadRecordTooLargeForACommitGoesToTheDeadTopicCutToItsHead) {
  const std::string large(kMaxCommitRows + 1000, 'x');
  record("acme", large, {{"a", "b"}});
  job("acme", "good");
  EXPECT_LT(task->unsaved_bytes(), kMaxCommitRows);
  EXPECT_EQ(start(), "good");
  commit();
  ASSERT_EQ(dead().size(), 1u);
  const auto letter = dead()[0];
  EXPECT_EQ(letter.key, "acme");
  EXPECT_EQ(letter.value, large.substr(0, kCutValueBytes));
  EXPECT_EQ(letter.headers.at("penstock-cut"), std::to_string(large.size()));
  EXPECT_EQ(letter.headers.at("penstock-reason"), "too_large");
  EXPECT_EQ(letter.headers.at("a"), "b");
}

TEST_F(Tasking, HeadersTooLargeForTheRowsOfTheirJobMakeARecordTooLarge) {
  const std::string value = R"({"type":"t","id":"a"})";
  record("acme", value, {{"x", std::string(kMaxHeadersBytes - 100, 'h')}});
  record("acme", value, {{"x", std::string(kMaxHeadersBytes, 'h')}, {"y", "z"}});
  record("acme", value, {{"penstock-x", std::string(kMaxReservedHeadersBytes, 'h')}});
  EXPECT_EQ(start(), "a");
  commit();
  ASSERT_EQ(dead().size(), 2u);
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "too_large");
  EXPECT_EQ(dead()[0].headers.at("x").size(), kMaxHeadersBytes) << "it fits into the dead topic";
  EXPECT_FALSE(dead()[0].headers.contains("penstock-cut"));
  EXPECT_EQ(dead()[1].headers.at("penstock-reason"), "too_large");
}

TEST_F(Tasking, RecordsWithoutKeyOrValueAreBadAndStayAsTheyAre) {
  record(std::nullopt, R"({"type":"t"})");
  record("acme", std::nullopt);
  record("acme", R"({"type":"t","runat":5})");
  commit();
  ASSERT_EQ(dead().size(), 3u);
  EXPECT_FALSE(dead()[0].key.has_value());
  EXPECT_EQ(dead()[0].headers.at("penstock-reason"), "bad_key");
  EXPECT_FALSE(dead()[1].value.has_value());
  EXPECT_EQ(dead()[1].headers.at("penstock-reason"), "bad_json");
  EXPECT_EQ(dead()[2].headers.at("penstock-reason"), "bad_field");
}

// -- Records that lie in the wrong partition

TEST_F(Tasking, AMisroutedRecordIsForwardedWithItsOriginAndNeverRunHere) {
  queue.partitions = 4;
  partition = partition_of("acme", 4) == 2 ? 1 : 2;
  record("acme", R"({"type":"t"})", {{"traceparent", "00-1"}, {"null", std::nullopt}});
  EXPECT_EQ(start(), "");
  commit();
  const auto forwarded = messages("penstock.mail");
  ASSERT_EQ(forwarded.size(), 1u);
  EXPECT_EQ(forwarded[0].headers.at("null"), "(null)");
  EXPECT_EQ(forwarded[0].to.partition, partition_of("acme", 4));
  EXPECT_EQ(forwarded[0].value, R"({"type":"t"})");
  EXPECT_EQ(forwarded[0].headers.at("traceparent"), "00-1");
  EXPECT_EQ(forwarded[0].headers.at(std::string(kOriginHeader)),
            "penstock.mail/" + std::to_string(partition) + "/0");
  EXPECT_EQ(task->counters().forwarded, 1u);
}

TEST_F(Tasking, AForwardedRecordKeepsThePlaceWhereItFirstLayAsItsId) {
  record("acme", R"({"type":"t"})",
         {{std::string(kOriginHeader), "penstock.mail/3/17"},
          {std::string(kMessageHeader), "penstock.mail/3@5>penstock.mail/0#1"}});
  EXPECT_EQ(start(), "penstock.mail/3/17");
}

TEST_F(Tasking, AForwardedRecordThatDiesNamesThePlaceWhereItFirstLay) {
  int number = 0;
  const auto forwarded = [&](const std::string& value, const std::string& place) {
    record("acme", value,
           {{std::string(kOriginHeader), "penstock.mail/3/" + place},
            {std::string(kMessageHeader),
             "penstock.mail/3@5>penstock.mail/0#" + std::to_string(++number)}});
  };
  forwarded(R"({"type":"t","id":"a"})", "17");
  forwarded(R"({"type":"t"})", "18");
  forwarded(R"({"typ":"t"})", "19");
  commit();
  commit();   // that the dead one has gone out
  restart();  // a row tells of it too
  EXPECT_EQ(start(), "a");
  end("a", Discard{"no use"});
  EXPECT_EQ(start(), "penstock.mail/3/18");
  end("penstock.mail/3/18", Discard{"no use"});
  commit();
  ASSERT_EQ(dead().size(), 3u);
  EXPECT_EQ(dead()[0].headers.at("penstock-source"), "penstock.mail/3/19");
  EXPECT_EQ(dead()[1].headers.at("penstock-source"), "penstock.mail/3/17");
  EXPECT_EQ(dead()[2].headers.at("penstock-source"), "penstock.mail/3/18");
}

TEST_F(Tasking, AMessageIsTakenOnceAndInItsOrder) {
  const auto message = [&](const std::string& id, int number) {
    record("acme", R"({"type":"t","id":")" + id + "\"}",
           {{std::string(kMessageHeader),
             "penstock.mail/3@5>penstock.mail/0#" + std::to_string(number)}});
  };
  message("a", 1);
  message("c", 3);
  message("a again", 1);
  message("b", 2);
  message("c", 3);
  EXPECT_EQ(task->counters().admitted, 3u);
  EXPECT_EQ(task->counters().messages_ignored, 2u);
  commit();
  restart();
  message("c once more", 3);
  EXPECT_EQ(task->counters().messages_ignored, 1u);
}

// As a tool that copies topics writes it.
TEST_F(Tasking, ADeadRecordThatIsSentBackWithItsHeadersIsAnOrdinaryRecord) {
  record("acme", R"({"type":"t"})", {{"traceparent", "00-1"}});
  EXPECT_EQ(start(), "penstock.mail/0/0");
  end("penstock.mail/0/0", Discard{"no use"});
  commit();
  ASSERT_EQ(dead().size(), 1u);
  const FakeEmitter::Message letter = dead()[0];
  std::vector<Header> headers;
  for (const auto& [name, value] : letter.headers) headers.push_back({name, value});
  record(letter.key, letter.value, headers);
  record(letter.key, letter.value, headers);  // and once more
  EXPECT_EQ(start(), "penstock.mail/0/1");
  const auto again = task->queries().find("acme", "penstock.mail/0/1", now());
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->row.headers.size(), 1u);
  EXPECT_EQ(again->row.headers[0].name, "traceparent");
  EXPECT_EQ(task->counters().messages_ignored, 0u);
}

TEST_F(Tasking, AMessageToAnotherPartitionUsesUpNoNumber) {
  const auto message = [&](const std::string& id, const std::string& to) {
    record("acme", R"({"type":"t","id":")" + id + "\"}",
           {{std::string(kMessageHeader), "penstock.mail/3@5>" + to + "#1"}});
  };
  message("sent back", "penstock.mail.dead/0");
  message("mirrored", "penstock.mail/2");
  message("a", "penstock.mail/0");
  EXPECT_EQ(task->counters().admitted, 3u);
  EXPECT_EQ(task->counters().messages_ignored, 0u);
}

// An ordinary record names no place that it was forwarded from.
TEST_F(Tasking, OnlyAMessageKeepsThePlaceWhereItFirstLay) {
  record("acme", R"({"type":"t"})", {{std::string(kOriginHeader), "penstock.mail/3/17"}});
  EXPECT_EQ(start(), "penstock.mail/0/0");
}

TEST_F(Tasking, MessagesBehindWhatRetentionRemovedAreTaken) {
  const auto message = [&](const std::string& id, int number, int oldest) {
    record("acme", R"({"type":"t","id":")" + id + "\"}",
           {{std::string(kOldestHeader), std::to_string(oldest)},
            {std::string(kMessageHeader),
             "penstock.mail/3@5>penstock.mail/0#" + std::to_string(number)}});
  };
  message("a", 1, 1);
  input.resize(4);  // three of a burst are removed before they are read
  task->skip_to(Offset{4});
  message("e", 5, 2);
  message("f", 6, 6);
  EXPECT_EQ(task->counters().admitted, 3u);
  EXPECT_EQ(task->counters().message_jumps, 1u);
  EXPECT_EQ(task->counters().messages_missed, 3u);
  ASSERT_EQ(task->arrivals().take_notices().size(), 1u);
  commit();
  restart();
  message("f again", 6, 6);
  EXPECT_EQ(task->counters().messages_ignored, 1u);
}

// The rows of an earlier state are gone, and so are the first messages.
TEST_F(Tasking, AStateThatIsMadeAnewGoesOnWithWhatItsSourcesSendNow) {
  input.resize(7);
  make();
  task->skip_to(Offset{7});
  record("acme", R"({"type":"t","id":"a"})",
         {{std::string(kOldestHeader), "500"},
          {std::string(kMessageHeader), "penstock.mail/3@5>penstock.mail/0#502"}});
  EXPECT_EQ(start(), "a");
}

TEST_F(Tasking, ALongDerivedIdSurvivesTheDeadTopic) {
  const std::string id(200, 'x');
  record("acme", R"({"type":"t","id":")" + id + "\"}", {{std::string(kDerivedHeader), "1"}});
  EXPECT_EQ(start(), id);
  end(id, Discard{"no use"});
  commit();
  ASSERT_EQ(dead().size(), 1u);
  EXPECT_EQ(dead()[0].headers.count(std::string(kDerivedHeader)), 1u);
}

TEST_F(Tasking, OnlyDerivedIdsMayBeLong) {
  const std::string value = R"({"type":"t","id":")" + std::string(200, 'x') + "\"}";
  record("acme", value);
  EXPECT_EQ(task->counters().bad, 1u);
  record("acme", value, {{std::string(kDerivedHeader), "1"}});
  EXPECT_EQ(task->counters().admitted, 1u);
}

// A session that goes back a little shows records that the state has taken already.
TEST_F(Tasking, ARecordBeforeTheInputPositionIsPassedOver) {
  record("acme", R"({"type":"t"})");
  record("bolt", R"({"type":"t","id":"b"})");
  EXPECT_EQ(start().size(), std::string("penstock.mail/0@0 b").size());
  end("b");
  commit();
  show(0);
  show(1);
  EXPECT_EQ(task->counters().admitted, 2u);
  EXPECT_EQ(task->counters().duplicate, 0u);
  EXPECT_EQ(task->input_next(), Offset{2});
}

// -- What does not fit

TEST_F(Tasking, RecordsLeftWhenItIsFullAreAdmittedExactlyOnceLater) {
  make();
  const std::string args(500 << 10, 'x');
  for (int i = 0; i < 20; ++i) {
    job("acme" + std::to_string(i), "a", R"("args":")" + args + "\"");
    if (!task->wants_input()) break;
  }
  EXPECT_FALSE(task->wants_input());
  const std::size_t taken = task->counters().admitted;
  EXPECT_LT(taken, 10u);
  job("late", "b");
  EXPECT_EQ(task->counters().admitted, taken);
  EXPECT_LT(task->input_next().value, static_cast<std::int64_t>(input.size()));
  commit();
  EXPECT_TRUE(task->wants_input());
  feed();
  feed();
  EXPECT_EQ(task->counters().admitted, taken + 1);
  EXPECT_EQ(task->counters().duplicate, 0u);
}

TEST_F(Tasking, HeadersCountTowardsWhatACommitMustHold) {
  make();
  const std::string header(100 << 10, 'x');
  for (int i = 0; i < 200 && task->wants_input(); ++i) {
    record("acme" + std::to_string(i), R"({"type":"t","id":"a"})", {{"h", header}});
  }
  EXPECT_FALSE(task->wants_input());
  task->save(seq + 1);
  EXPECT_LT(view->batch().size(), 5u << 20);
}

}  // namespace
}  // namespace penstock
