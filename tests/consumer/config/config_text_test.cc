// The small texts of the config layer: durations, handler specs, words, spelling.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "consumer/config/handler_spec.h"
#include "consumer/config/spelling.h"
#include "consumer/config/words.h"
#include "consumer/policy/duration.h"

namespace penstock {
namespace {

using Words = std::vector<std::string>;

TEST(ShownUrl, HasNoPasswordAndNoQuery) {
  EXPECT_EQ(shown_url("http://127.0.0.1:3000/jobs"), "http://127.0.0.1:3000/jobs");
  EXPECT_EQ(shown_url("https://user:secret@host/jobs"), "https://...@host/jobs");
  EXPECT_EQ(shown_url("http://secret@host"), "http://...@host");
  EXPECT_EQ(shown_url("http://user:se/cr?et@host/jobs?key=secret"), "http://...@host/jobs?...");
  EXPECT_EQ(shown_url("http://user:se@cret@host/jobs"), "http://...@host/jobs");
  EXPECT_EQ(shown_url("http://host/jobs?key=secret#secret"), "http://host/jobs?...");
  EXPECT_EQ(shown_url("http://host/@x"), "http://host/@x");
}

TEST(HandlerSpecText, ARefusedUrlDoesNotShowItsPassword) {
  const auto spec = parse_handler_spec("http://user:secret@host:0/jobs");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message.find("secret"), std::string::npos) << spec.error().message;
}

TEST(DurationText, ReadsEveryUnit) {
  EXPECT_EQ(*parse_duration("250ms"), 250ms);
  EXPECT_EQ(*parse_duration("30s"), 30s);
  EXPECT_EQ(*parse_duration("5m"), 5min);
  EXPECT_EQ(*parse_duration("12h"), 12h);
  EXPECT_EQ(*parse_duration("7d"), 24h * 7);
  EXPECT_EQ(*parse_duration("0s"), 0s);
  EXPECT_EQ(*parse_duration("36500d"), kMaxDuration);
}

TEST(DurationText, RefusesWhatIsNoWholeNumberAndOneUnit) {
  for (const std::string bad :
       {"", "15", "s", "1.5s", "-1s", "+1s", " 1s", "1s ", "1 s", "1S", "1w", "1m30s", "0x1s"}) {
    const auto duration = parse_duration(bad);
    ASSERT_FALSE(duration) << bad;
    EXPECT_EQ(duration.error().message,
              "found \"" + bad + "\", expected a duration such as \"15s\"");
  }
}

TEST(DurationText, RefusesMoreThanAHundredYears) {
  for (const std::string bad : {"36501d", "99999999999999999999999s", "18446744073709551615d"}) {
    const auto duration = parse_duration(bad);
    ASSERT_FALSE(duration) << bad;
    EXPECT_EQ(duration.error().message,
              "found \"" + bad + "\", expected a duration of at most 36500d");
  }
}

TEST(DurationText, IsWrittenAsItIsRead) {
  for (const std::string text : {"0s", "1ms", "1500ms", "90s", "2m", "36h", "7d"}) {
    EXPECT_EQ(duration_text(*parse_duration(text)), text);
  }
  EXPECT_EQ(duration_text(120s), "2m");
}

TEST(HandlerSpecText, ReadsEveryForm) {
  EXPECT_TRUE(std::holds_alternative<NoopHandler>(*parse_handler_spec("noop")));
  EXPECT_EQ(std::get<SleepHandler>(*parse_handler_spec("sleep:50ms")).length, 50ms);
  EXPECT_EQ(std::get<FailHandler>(*parse_handler_spec("fail:0.1")).probability, 0.1);
  EXPECT_EQ(std::get<FailHandler>(*parse_handler_spec("fail:1")).probability, 1);
  EXPECT_EQ(std::get<HttpHandler>(*parse_handler_spec("http://[::1]:3000/jobs?a=b")).url,
            "http://[::1]:3000/jobs?a=b");
  EXPECT_EQ(std::get<HttpHandler>(*parse_handler_spec("https://user@example.org")).url,
            "https://user@example.org");
  const auto exec = std::get<ExecHandler>(*parse_handler_spec("exec:/usr/bin/env 'a b' $HOME"));
  EXPECT_EQ(exec.argv, (Words{"/usr/bin/env", "a b", "$HOME"}));
  EXPECT_EQ(exec.children, 1);
}

TEST(HandlerSpecText, RefusalsSayWhatWasExpected) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"",
       "found \"\", expected http://..., https://..., exec:/path arg..., noop, sleep:50ms or "
       "fail:0.1"},
      {"noop:1",
       "found \"noop:1\", expected http://..., https://..., exec:/path arg..., noop, "
       "sleep:50ms or fail:0.1"},
      {"sleep:50", "sleep: found \"50\", expected a duration such as \"15s\""},
      {"fail:2", "found \"fail:2\", expected fail: and a number from 0 to 1, such as \"fail:0.1\""},
      {"fail:", "found \"fail:\", expected fail: and a number from 0 to 1, such as \"fail:0.1\""},
      {"fail:nan",
       "found \"fail:nan\", expected fail: and a number from 0 to 1, such as \"fail:0.1\""},
      {"fail:0.1x",
       "found \"fail:0.1x\", expected fail: and a number from 0 to 1, such as "
       "\"fail:0.1\""},
      {"http://", "found \"http://\", expected a URL such as \"http://127.0.0.1:3000/jobs\""},
      {"http://a:0", "found \"http://a:0\", expected a URL such as \"http://127.0.0.1:3000/jobs\""},
      {"exec:",
       "found \"exec:\", expected exec: and an absolute path, such as \"exec:/usr/bin/env "
       "python3\""},
      {"exec:python3",
       "found \"exec:python3\", expected exec: and an absolute path, such as "
       "\"exec:/usr/bin/env python3\""},
      {"exec:/a 'b", "exec: found a ' that is not closed, expected another ', in \"exec:/a 'b\""},
  };
  for (const auto& [text, message] : table) {
    const auto spec = parse_handler_spec(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_EQ(spec.error().message, message);
  }
}

TEST(Words, AreSplitAsAShellSplitsThem) {
  const std::vector<std::pair<std::string, Words>> table{
      {"", {}},
      {" \t\n", {}},
      {"a  b\tc\nd", {"a", "b", "c", "d"}},
      {"'a b'c \"d e\"f", {"a bc", "d ef"}},
      {"'' \"\" x''", {"", "", "x"}},
      {R"(a\ b \\ \' \")", {"a b", "\\", "'", "\""}},
      {R"('a\' "a\"b\\c\$d\`e\f")", {R"(a\)", R"(a"b\c$d`e\f)"}},
      {"a\\\nb \"c\\\nd\" 'e\\\nf'", {"ab", "cd", "e\\\nf"}},
      {"\\\n", {}},
  };
  for (const auto& [text, words] : table) EXPECT_EQ(*split_words(text), words) << text;
}

TEST(Words, NothingIsExpanded) {
  EXPECT_EQ(*split_words("$HOME `id` $(id) * ~ ; | & > # {a,b}"),
            (Words{"$HOME", "`id`", "$(id)", "*", "~", ";", "|", "&", ">", "#", "{a,b}"}));
}

TEST(Words, WhatIsNotClosedIsRefused) {
  EXPECT_EQ(split_words("a 'b").error().message,
            "found a ' that is not closed, expected another '");
  EXPECT_EQ(split_words("a \"b").error().message,
            "found a \" that is not closed, expected another \"");
  EXPECT_EQ(split_words("\"b\\").error().message,
            "found a \" that is not closed, expected another \"");
  EXPECT_EQ(split_words("a\\").error().message,
            "found a backslash at the end, expected a character after it");
}

TEST(Spelling, NamesTheNearestWithinAThird) {
  constexpr std::array<std::string_view, 4> kWords{"order", "events", "types", "partitions"};
  EXPECT_EQ(nearest_word("ordr", kWords), "order");
  EXPECT_EQ(nearest_word("oder", kWords), "order");
  EXPECT_EQ(nearest_word("event", kWords), "events");
  EXPECT_EQ(nearest_word("partition_s", kWords), "partitions");
  EXPECT_EQ(nearest_word("tipe", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("colour", kWords), std::nullopt);
  EXPECT_EQ(nearest_word("", kWords), std::nullopt);
  EXPECT_EQ(nearest_word(std::string(65, 'x'), kWords), std::nullopt);
}

}  // namespace
}  // namespace penstock
