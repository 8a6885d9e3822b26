#include "topics/record/job_decoder.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/topics/record/allocation_count.h"

namespace penstock {
namespace {

JobRecord good(JobDecoder& decoder, std::string_view value) {
  const auto record = decoder.decode("acme", value);
  EXPECT_TRUE(record) << record.error().detail;
  return record.value_or(JobRecord{});
}

BadRecord bad(std::string_view value) {
  JobDecoder decoder;
  const auto record = decoder.decode("acme", value);
  EXPECT_FALSE(record) << value;
  return record ? BadRecord{} : record.error();
}

TEST(JobRecord, TakesWhatItsMembersSay) {
  JobDecoder decoder;
  const auto record =
      good(decoder, R"({"type":"webhook.send","id":"0123","priority":-3,"weight":9,)"
                    R"("run_at":5,"expires_at":"1970-01-01T00:00:00.006Z",)"
                    R"("unique_key":"k\n","meta":{"a": 1}})");
  EXPECT_EQ(record.op, Op::kEnqueue);
  EXPECT_EQ(record.account, "acme");
  EXPECT_EQ(record.type, "webhook.send");
  EXPECT_EQ(record.id, "0123");
  EXPECT_EQ(record.priority, -3);
  EXPECT_EQ(record.weight, 9);
  EXPECT_EQ(record.run_at, time_from_ms(5));
  EXPECT_EQ(record.expires_at, time_from_ms(6));
  EXPECT_EQ(record.unique_key, "k\n");
  EXPECT_EQ(record.meta, R"({"a": 1})");
}

TEST(JobRecord, HasTheDefaultsOfTheSpec) {
  JobDecoder decoder;
  const auto record = good(decoder, R"({"type":"t"})");
  EXPECT_EQ(record.id, "");
  EXPECT_EQ(record.args, "{}");
  EXPECT_EQ(record.priority, 0);
  EXPECT_EQ(record.weight, 1);
  EXPECT_EQ(record.meta, "");
  EXPECT_FALSE(record.run_at || record.expires_at || record.bulk || record.unique_key);
}

TEST(JobRecord, KeepsArgumentsByteForByte) {
  JobDecoder decoder;
  for (const std::string args : {"{ \"a\" : [1 , 2.50e+1]\n}", "12345678901234567890123", "1.0",
                                 "\"\\u0041\\/\"", " [ ] ", "null", "-0", "{\"\\u0061\":\"b\"}"}) {
    const std::string text = "{\"args\": " + args + " ,\"type\":\"t\"}";
    const auto trimmed = args.substr(args.find_first_not_of(' '),
                                     args.find_last_not_of(' ') - args.find_first_not_of(' ') + 1);
    EXPECT_EQ(good(decoder, text).args, trimmed);
  }
}

TEST(JobRecord, GivesABulkAndWhatFollowsIt) {
  JobDecoder decoder;
  const auto record = good(decoder, R"({"type":"t","bulk":{"id":"\u0062","size":3,"index":2,)"
                                    R"("on_done":{"type": "done","args":{"\u0061":"\n"}} }})");
  ASSERT_TRUE(record.bulk);
  EXPECT_EQ(record.bulk->id, "b");
  EXPECT_EQ(record.bulk->index, 2);
  EXPECT_EQ(record.bulk->size, 3);
  EXPECT_EQ(record.bulk->on_done, R"({"type": "done","args":{"\u0061":"\n"}})");
}

TEST(JobRecord, GivesACommandItsJob) {
  JobDecoder decoder;
  EXPECT_EQ(good(decoder, R"({"op":"cancel","id":"a"})").op, Op::kCancel);
  EXPECT_EQ(good(decoder, R"({"op":"retry","id":"a"})").op, Op::kRetry);
  EXPECT_EQ(good(decoder, R"({"op":"delete","id":"a"})").op, Op::kDelete);
  const auto record = good(decoder, R"({"op":"reschedule","id":"a","run_at":7,"type":"t"})");
  EXPECT_EQ(record.op, Op::kReschedule);
  EXPECT_EQ(record.id, "a");
  EXPECT_EQ(record.type, "t");
  EXPECT_EQ(record.run_at, time_from_ms(7));
}

TEST(JobRecord, MayHaveALongIdOnlyWherePenstockDerivedIt) {
  JobDecoder decoder;
  const auto job = [](std::size_t bytes) {
    return R"({"type":"t","id":")" + std::string(bytes, 'i') + "\"}";
  };
  EXPECT_FALSE(decoder.decode("acme", job(129)));
  EXPECT_TRUE(decoder.decode("acme", job(255), kMaxDerivedIdBytes));
  EXPECT_FALSE(decoder.decode("acme", job(256), kMaxDerivedIdBytes));
}

TEST(JobRecord, NeedsAnAccountForItsKey) {
  JobDecoder decoder;
  const std::string_view job = R"({"type":"t"})";
  EXPECT_EQ(decoder.decode(std::nullopt, job).error().reason, BadReason::kBadKey);
  EXPECT_EQ(decoder.decode("", job).error().reason, BadReason::kBadKey);
  EXPECT_EQ(decoder.decode(std::string(256, 'a'), job).error().reason, BadReason::kBadKey);
  EXPECT_EQ(decoder.decode("\xff", job).error().reason, BadReason::kBadKey);
  EXPECT_EQ(decoder.decode(std::string(255, 'a'), job)->account.size(), 255U);
}

TEST(JobRecord, OfNoValueIsBadJson) {
  JobDecoder decoder;
  EXPECT_EQ(decoder.decode("acme", std::nullopt).error().reason, BadReason::kBadJson);
}

TEST(BadRecord, NamesTheMemberByItsPointer) {
  EXPECT_EQ(bad(R"({"type":"t","args":{"a":[0,{"b/c":"\ud800"}]}})").member, "/args/a/1/b~1c");
  EXPECT_EQ(bad(R"({"type":"t","args":[[],[1,{"a":1,"b":2,"a":3}]]})").member, "/args/1/1/a");
  EXPECT_EQ(bad(R"({"type":"t","args":{"a":1,"\u00e9":1e400}})").member, "/args/\xC3\xA9");
  EXPECT_EQ(bad(R"({"type":"t","type":"t"})").member, "/type");
  EXPECT_EQ(
      bad(R"({"type":"t","bulk":{"id":"b","index":0,"size":1,"on_done":{"tpye":"t"}}})").member,
      "/bulk/on_done/tpye");
}

TEST(BadRecord, SaysInOneLineWhatWasFoundAndWhatWasExpected) {
  EXPECT_EQ(bad(R"({"type":"t","priority":5000})").detail,
            "/priority is 5000, expected an integer from -1000 to 1000");
  EXPECT_EQ(bad("{\"type\":\"t\",\"meta\":[\n1]}").detail, "/meta is [ 1], expected an object");
  EXPECT_EQ(bad(R"({"type":"t","args":01})").detail, "a number that begins with 0 at byte 19");
  EXPECT_EQ(bad("{\"type\":\"\xff\"}").detail, "a byte that is not UTF-8 at byte 9");
  EXPECT_EQ(bad(R"({"type":"t")").detail,
            "the text may be cut off: expected , or } after a member at byte 11");
}

TEST(BadRecord, OfBadJsonIsNotCalledABadField) {
  EXPECT_EQ(bad(R"({"priority":"high","args":[1,]})").reason, BadReason::kBadJson);
}

TEST(BadRecord, IsTooLargeAboveOneMebibyte) {
  EXPECT_EQ(bad(std::string(kMaxValueBytes + 1, ' ')).reason, BadReason::kTooLarge);
}

TEST(JobDecoder, TakesNothingFromTheHeapForARecordLikeTheLast) {
  JobDecoder decoder;
  const std::string_view job =
      R"({"type":"webhook.send","id":"\u0061","run_at":"2026-03-01T12:00:00Z",)"
      R"("args":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"\n":"\n"},)"
      R"("bulk":{"id":"b","index":0,"size":1,"on_done":{"type":"t"}}})";
  ASSERT_TRUE(decoder.decode("acme", job));
  const auto before = allocations_of_this_thread();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(decoder.decode("acme", job));
  EXPECT_EQ(allocations_of_this_thread(), before);
}

TEST(JobDecoder, GoesOnAfterABadRecordAndAfterALargeOne) {
  JobDecoder decoder;
  const std::string large =
      R"({"type":"t","id":"\n","args":")" + std::string(kMaxValueBytes - 40, 'x') + "\"}";
  EXPECT_TRUE(decoder.decode("acme", large));
  EXPECT_FALSE(decoder.decode("acme", R"({"type":"t","args":[[[)"));
  EXPECT_EQ(good(decoder, R"({"type":"t","id":"\t"})").id, "\t");
}

TEST(JobDecoder, TakesAWideObjectInReasonableTime) {
  std::string text = R"({"type":"t","args":{)";
  for (int i = 0; text.size() < kMaxValueBytes - 40; ++i)
    text += "\"" + std::to_string(i) + "\":0,";
  JobDecoder decoder;
  EXPECT_TRUE(decoder.decode("acme", text + "\"x\":0}}"));
  EXPECT_EQ(decoder.decode("acme", text + "\"7\":0}}").error().member, "/args/7");
}

TEST(JobDecoder, CanBeMoved) {
  JobDecoder first;
  JobDecoder second = std::move(first);
  EXPECT_TRUE(second.decode("acme", R"({"type":"t"})"));
}

}  // namespace
}  // namespace penstock
