#include "api/dead/resend_plan.h"

#include <gtest/gtest.h>

#include "tests/api/dead/dead_stage.h"
#include "topics/record/job_record.h"

namespace penstock {
namespace {

constexpr const char* kValue = R"({"type":"send","id":"a-1","args":{"n":1}})";
constexpr const char* kRetry = R"({"op":"retry","id":"a-1"})";

std::vector<std::string> values(const std::vector<ResendRecord>& records) {
  std::vector<std::string> all;
  for (const ResendRecord& record : records) all.push_back(record.value);
  return all;
}

struct ResendPlanTest : testing::Test {
  ResendPlan plan;

  std::vector<std::string> sent(const DeadEntry& entry, Standing standing,
                                const RepairedRecord* repaired = nullptr) {
    const auto candidate = plan.prepare(entry, repaired);
    EXPECT_TRUE(candidate) << candidate.error().detail;
    return candidate ? values(ResendPlan::records(*candidate, standing))
                     : std::vector<std::string>{"refused"};
  }
  NotSent refused(const DeadEntry& entry, const RepairedRecord* repaired = nullptr) {
    const auto candidate = plan.prepare(entry, repaired);
    EXPECT_FALSE(candidate);
    return candidate ? NotSent{} : candidate.error();
  }
};

using Values = std::vector<std::string>;

TEST_F(ResendPlanTest, ADeadJobThatIsKeptIsRetriedUnderItsId) {
  EXPECT_EQ(sent(dead_entry("acme", kValue, {}), Standing::kDead), Values{kRetry});
}

TEST_F(ResendPlanTest, ADeadJobThatIsNotKeptIsSentUnchangedWithItsHeaders) {
  const DeadEntry entry = dead_entry("acme", kValue, {});
  EXPECT_EQ(sent(entry, Standing::kNone), Values{kValue});
  const auto candidate = plan.prepare(entry);
  ASSERT_EQ(candidate->record.headers.size(), 1u);
  EXPECT_EQ(candidate->record.headers[0].name, "traceparent");
  EXPECT_EQ(candidate->record.account, "acme");
}

TEST_F(ResendPlanTest, ADeadJobOfWhichNothingIsKnownIsRetriedFirst) {
  EXPECT_EQ(sent(dead_entry("acme", kValue, {}), Standing::kUnknown), (Values{kRetry, kValue}));
}

TEST_F(ResendPlanTest, AJobThatIsAliveOrDoneAgainIsNotSent) {
  EXPECT_TRUE(sent(dead_entry("acme", kValue, {}), Standing::kThere).empty());
}

TEST_F(ResendPlanTest, ADeadJobWithoutAnIdKeepsTheOneThatItWasKnownBy) {
  const DeadEntry entry = dead_entry("acme", R"({"type":"send"})", {});
  EXPECT_EQ(sent(entry, Standing::kUnknown),
            (Values{R"({"op":"retry","id":"penstock.mail/3/17"})",
                    R"({"id":"penstock.mail/3/17","type":"send"})"}));
}

TEST_F(ResendPlanTest, ABadRecordThatIsStillBadIsNotSent) {
  EXPECT_EQ(refused(dead_entry("acme", "{", {.reason = "bad_json"})).reason, "bad_json");
  EXPECT_EQ(refused(dead_entry("acme", R"({"type":"a","x":1})", {.reason = "bad_field"})).reason,
            "bad_field");
  EXPECT_EQ(refused(dead_entry(std::nullopt, kValue, {.reason = "bad_key"})).reason, "bad_key");
  EXPECT_EQ(refused(dead_entry("acme", kValue,
                               {.reason = "too_large", .more = {{"penstock-cut", "9999999"}}}))
                .reason,
            "cut");
}

TEST_F(ResendPlanTest, ARepairedBadRecordGetsTheIdOfItsPlaceSoThatItRunsOnce) {
  const DeadEntry entry =
      dead_entry("acme", R"({"type":"a","run_att":1})", {.reason = "bad_field"});
  const RepairedRecord repaired{std::nullopt, R"({"type":"a","args":[1.10]})"};
  EXPECT_EQ(sent(entry, Standing::kNone, &repaired),
            Values{R"({"id":"penstock.mail/3/17","type":"a","args":[1.10]})"});
  EXPECT_EQ(sent(entry, Standing::kUnknown, &repaired).size(), 1u);
  for (const Standing standing : {Standing::kThere, Standing::kDead})
    EXPECT_TRUE(sent(entry, standing, &repaired).empty()) << "it was sent back before";
}

TEST_F(ResendPlanTest, ARepairedRecordMayNameItsAccount) {
  const RepairedRecord repaired{"globex", kValue};
  const auto candidate =
      plan.prepare(dead_entry(std::nullopt, kValue, {.reason = "bad_key"}), &repaired);
  ASSERT_TRUE(candidate);
  EXPECT_EQ(candidate->record.account, "globex");
  EXPECT_EQ(candidate->id, "a-1");
}

TEST_F(ResendPlanTest, ADeadJobThatWasChangedGetsANewIdBecauseItsOwnIsRemembered) {
  const DeadEntry entry = dead_entry("acme", kValue, {});
  const RepairedRecord changed{std::nullopt, R"({"type":"send","id":"a-1","args":{"n":2}})"};
  EXPECT_EQ(sent(entry, Standing::kNone, &changed),
            Values{R"({"id":"a-1/resent","type":"send","args":{"n":2}})"});
  const RepairedRecord renamed{std::nullopt, R"({"type":"send","id":"b","args":{"n":2}})"};
  EXPECT_EQ(sent(entry, Standing::kNone, &renamed), Values{renamed.value});
}

TEST_F(ResendPlanTest, AnAnswerThatSaysTheSameChangesNothing) {
  const DeadEntry entry = dead_entry("acme", kValue, {});
  const RepairedRecord same{"acme", R"({ "args": {"n":1}, "id":"a-1", "type":"send" })"};
  EXPECT_EQ(sent(entry, Standing::kDead, &same), Values{kRetry});
}

TEST_F(ResendPlanTest, AnIdThatPenstockDerivedStaysAsLongAsItIs) {
  const std::string id(200, 'i');
  const std::string value = R"({"type":"send","id":")" + id + R"("})";
  EXPECT_EQ(refused(dead_entry("acme", value, {})).reason, "bad_field");
  const auto candidate =
      plan.prepare(dead_entry("acme", value, {.more = {{"penstock-derived", "1"}}}));
  ASSERT_TRUE(candidate);
  for (const ResendRecord& record : ResendPlan::records(*candidate, Standing::kUnknown)) {
    ASSERT_FALSE(record.headers.empty());
    EXPECT_EQ(record.headers.back().name, "penstock-derived");
  }
}

TEST_F(ResendPlanTest, ARecordWithoutRoomForAnIdIsNotSent) {
  const std::string start = R"({"type":"a","args":")";
  const std::string value = start + std::string(kMaxValueBytes - start.size() - 2, 'x') + "\"}";
  EXPECT_EQ(refused(dead_entry("acme", value, {})).reason, "too_large");
}

TEST_F(ResendPlanTest, ACommandIsSentAsItIs) {
  const std::string cancel = R"({"op":"cancel","id":"a-1"})";
  EXPECT_EQ(sent(dead_entry("acme", cancel, {.reason = "bad_field"}), Standing::kThere),
            Values{cancel});
}

TEST(SameJson, ComparesByMeaningAndNumbersAsTheyAreWritten) {
  EXPECT_TRUE(is_same_json(R"({"a":[1,{"b":"\u00e4"}],"c":null})",
                           "{ \"c\" : null, \"a\":[ 1, {\"b\":\"\xc3\xa4\"} ] }"));
  EXPECT_FALSE(is_same_json("[1,2]", "[1,2,3]"));
  EXPECT_FALSE(is_same_json("[1,2]", "[2,1]"));
  EXPECT_FALSE(is_same_json(R"({"a":1})", R"({"a":1,"b":2})"));
  EXPECT_FALSE(is_same_json(R"({"a":1,"b":2})", R"({"a":1})"));
  EXPECT_FALSE(is_same_json("12345678901234567890123", "12345678901234567890124"));
  EXPECT_FALSE(is_same_json(R"("1")", "1"));
  EXPECT_FALSE(is_same_json("{", "[]"));
}

}  // namespace
}  // namespace penstock
