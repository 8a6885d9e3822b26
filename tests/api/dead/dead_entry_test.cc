#include "api/dead/dead_entry.h"

#include <gtest/gtest.h>

#include "api/dead/dead_filter.h"
#include "api/dead/dead_json.h"
#include "tests/api/dead/dead_stage.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kJob = R"({"type":"send","id":"a-1","args":{"n":1}})";

TEST(DeadEntry, ItsLetterAndItsOwnHeadersAreToldApart) {
  const DeadEntry entry =
      dead_entry("acme", kJob, {.message = "m#1", .more = {{"penstock-derived", "1"}}});
  EXPECT_EQ(entry.reason, "attempts_exhausted");
  EXPECT_EQ(entry.detail, "because");
  EXPECT_EQ(entry.source, "penstock.mail/3/17");
  EXPECT_EQ(entry.attempts, 3);
  EXPECT_TRUE(entry.derived);
  EXPECT_TRUE(entry.is_job());
  EXPECT_EQ(entry.type, "send");
  EXPECT_EQ(entry.id, "a-1");
  ASSERT_EQ(entry.headers.size(), 1u);
  EXPECT_EQ(entry.headers[0].name, "traceparent");
}

TEST(DeadEntry, ADeadJobWithoutAnIdIsKnownByItsSource) {
  EXPECT_EQ(dead_entry("acme", R"({"type":"send"})", {}).id, "penstock.mail/3/17");
  EXPECT_EQ(dead_entry("acme", R"({"type":"send"})", {.reason = "bad_field"}).id, "");
}

TEST(DeadEntry, AnyBytesAreReadAndShown) {
  const DeadEntry broken = dead_entry("\xff", "{\xfe", {.reason = "bad_json"});
  EXPECT_FALSE(broken.is_job());
  const Json json = dead_json(broken, "mail");
  EXPECT_EQ(json["account_hex"], "ff");
  EXPECT_EQ(json["value_hex"], "7bfe");
  EXPECT_EQ(json["type"], nullptr);
  const Json none = dead_json(dead_entry(std::nullopt, std::nullopt, {}), "mail");
  EXPECT_EQ(none["account"], nullptr);
  EXPECT_EQ(none["value"], nullptr);
  EXPECT_EQ(none["bytes"], nullptr);
}

TEST(DeadEntry, JsonHasEverythingAboutIt) {
  EXPECT_EQ(dead_json(dead_entry("acme", kJob, {}), "mail").dump(),
            R"({"queue":"mail","partition":2,"offset":5,"at":"2026-03-01T12:00:00.000Z",)"
            R"("reason":"attempts_exhausted","detail":"because","source":"penstock.mail/3/17",)"
            R"("attempts":3,"type":"send","id":"a-1","account":"acme","bytes":41,)"
            R"("value":"{\"type\":\"send\",\"id\":\"a-1\",\"args\":{\"n\":1}}",)"
            R"("headers":[{"name":"traceparent","value":"00-1-2-01"}]})");
}

TEST(DeadEntry, WhatIsShownIsBoundedAndCutBetweenCharacters) {
  const std::string value = "abc\xc3\xa4" + std::string(100, 'x');
  DeadEntry entry = dead_entry("acme", value, {.more = {{"penstock-cut", "4711"}}});
  entry.headers.push_back({"long", std::string(50, 'h')});
  const Json json = dead_json(entry, "mail", {4, 2, 10});
  EXPECT_EQ(json["value"], "abc");
  EXPECT_EQ(json["value_cut"], true);
  EXPECT_EQ(json["bytes"], 105);
  EXPECT_EQ(json["original_bytes"], 4711);
  EXPECT_EQ(json["headers"][1]["value"], std::string(10, 'h'));
  EXPECT_EQ(json["headers_cut"], true);
  EXPECT_FALSE(dead_json(entry, "mail", DeadShown::everything()).contains("value_cut"));
}

struct DeadFilterTest : testing::Test {
  [[nodiscard]] static bool matches(const DeadFilter& filter) {
    DeadEntryReader reader;
    const std::vector<Header> headers = DeadWritten().headers();
    std::vector<HeaderView> views;
    for (const Header& header : headers) views.push_back(view_of(header));
    return filter.match(reader, 0, {Offset{}, Time{}, "acme", kJob, views}).has_value();
  }
};

TEST_F(DeadFilterTest, EveryFilterNarrowsTheList) {
  const Time at = *parse_dead_time("2026-03-01T12:00:00Z");
  EXPECT_TRUE(matches({}));
  EXPECT_TRUE(matches({.reasons = {"bad_json", "attempts_exhausted"}}));
  EXPECT_FALSE(matches({.reasons = {"bad_json"}}));
  EXPECT_TRUE(matches({.type = "send", .account = "acme"}));
  EXPECT_FALSE(matches({.type = "other"}));
  EXPECT_FALSE(matches({.account = "globex"}));
  EXPECT_TRUE(matches({.from = at, .to = at + Duration(1)}));
  EXPECT_FALSE(matches({.from = at + Duration(1)}));
  EXPECT_FALSE(matches({.to = at})) << "the end does not belong to the range";
}

TEST_F(DeadFilterTest, AReasonThatDoesNotExistIsRefused) {
  DeadFilter filter;
  EXPECT_TRUE(filter.add_reason("too_large"));
  const Status added = filter.add_reason("to_large");
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().message.find("too_large"), std::string::npos);
}

TEST_F(DeadFilterTest, TimesAreRfc3339OrMilliseconds) {
  EXPECT_EQ(*parse_dead_time("1772366400000"), *parse_dead_time("2026-03-01T12:00:00Z"));
  for (const char* text : {"yesterday", "-1", "", "1e3", "2026-03-01"})
    EXPECT_FALSE(parse_dead_time(text)) << text;
}

}  // namespace
}  // namespace penstock
