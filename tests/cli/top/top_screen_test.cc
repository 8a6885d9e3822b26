#include "cli/top/top_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top/screen_text.h"
#include "cli/top/top_keys.h"

namespace penstock {
namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TopStatus busy_status() {
  TopStatus status;
  status.at = "12:40:05";
  status.worker = "127.0.0.1:8080";
  status.queues = {{{"queue", "mail"},
                    {"jobs", 123'456},
                    {"running", 10},
                    {"ready_accounts", 4},
                    {"oldest_ready_ms", 4'250},
                    {"rates", {{"in", 120}, {"out", 118.5}, {"failed", 2}}},
                    {"waiting", {{"limit", 90}, {"scheduled", 7}, {"breaker", 2}, {"paused", 1}}},
                    {"failures",
                     {{{"type", "webhook.send"},
                       {"error", "timeout\x1b[2J"},
                       {"count", 7},
                       {"last", "2026-01-01T12:39:59.123Z"},
                       {"id", "order-1"},
                       {"account", "acme"}},
                      {{"type", "webhook.send"}, {"error", "503"}, {"count", 30}}}}},
                   {{"queue", "sms"}, {"jobs", 0}, {"running", 0}, {"paused", true}}};
  status.accounts = {{"mail",
                      {{{"account", "acme"}, {"jobs", 5}, {"running", 1}},
                       {{"account", "日本"}, {"jobs", 50}, {"running", 0}}}}};
  status.workers = {{"workers",
                     {{{"id", "w1"}, {"ready", true}, {"version", "0.1.0"}},
                      {{"id", "w2"}, {"ready", false}, {"reason", "restoring"}}}},
                    {"unanswered", {{{"id", "w3"}, {"reason", "timed out"}}}}};
  return status;
}

std::vector<std::string> texts(const std::vector<ScreenLine>& lines) {
  std::vector<std::string> texts;
  for (const ScreenLine& line : lines) texts.push_back(line.text);
  return texts;
}

TEST(TopScreen, FitsEightyColumnsAndTwentyFourRows) {
  const auto lines = texts(top_lines(busy_status(), {}, {80, 24}));
  ASSERT_EQ(lines.size(), 24u);
  for (const std::string& line : lines) EXPECT_LE(columns_of(line), 80u) << line;
  EXPECT_THAT(lines[0],
              StartsWith("2 queues  2 workers, 2 not ready  10 running  in 120/s  out 118/s"));
  EXPECT_EQ(lines[1], "[1 Queues]  2 Accounts   3 Failures   4 Workers  ");
  EXPECT_EQ(lines[3], "QUEUE         JOBS  RUN  READY  OLDEST  IN/S  OUT/S  FAIL/S  WAITING FOR");
  EXPECT_EQ(lines[4],
            "mail          123k   10      4    4.2s   120    118       2  90 limit, 7 schedu…");
  EXPECT_EQ(lines[5], "sms (paused)     0    0      0       -     -      -       -  -");
  EXPECT_THAT(lines[23], StartsWith("q quit"));
}

TEST(TopScreen, UsesTheWidthThatThereIs) {
  const auto lines = texts(top_lines(busy_status(), {}, {200, 50}));
  ASSERT_EQ(lines.size(), 50u);
  EXPECT_THAT(lines[4], HasSubstr("90 limit, 7 scheduled, 2 breaker, 1 paused"));
  EXPECT_THAT(lines[0], HasSubstr("failed 2/s  127.0.0.1:8080  12:40:05"));
}

TEST(TopScreen, AccountsComeFromTheLongestLineOn) {
  const auto lines = texts(top_lines(busy_status(), {TopPage::kAccounts, 0}, {80, 24}));
  EXPECT_EQ(lines[3], "QUEUE  ACCOUNT  JOBS  RUNNING  OLDEST");
  EXPECT_EQ(lines[4], "mail   日本       50        0       -");
  EXPECT_EQ(lines[5], "mail   acme        5        1       -");
}

TEST(TopScreen, FailuresAreMadePrintable) {
  const auto lines = texts(top_lines(busy_status(), {TopPage::kFailures, 0}, {120, 24}));
  EXPECT_EQ(lines[4], "   30  mail   webhook.send  503");
  EXPECT_EQ(lines[5], R"(    7  mail   webhook.send  timeout\x1b[2J  12:39:59  acme     order-1)");
  for (const std::string& line : lines) EXPECT_EQ(line.find('\x1b'), std::string::npos);
}

TEST(TopScreen, WorkersThatAreNotReadyAreAlarming) {
  const auto lines = top_lines(busy_status(), {TopPage::kWorkers, 0}, {80, 24});
  EXPECT_THAT(lines[4].text, StartsWith("w1"));
  EXPECT_EQ(lines[4].style, ScreenLine::Style::kPlain);
  EXPECT_THAT(lines[5].text, HasSubstr("no: re"));
  EXPECT_EQ(lines[5].style, ScreenLine::Style::kAlarm);
  EXPECT_EQ(lines[6].style, ScreenLine::Style::kAlarm);
}

TEST(TopScreen, ScrollsAndSaysWhere) {
  TopStatus status = busy_status();
  auto& accounts = status.accounts[0].second;
  for (int i = 0; i < 100; ++i)
    accounts.push_back({{"account", "a" + std::to_string(i)}, {"jobs", 1}});
  const auto lines = texts(top_lines(status, {TopPage::kAccounts, 50}, {80, 24}));
  EXPECT_THAT(lines[4], HasSubstr("a48"));
  EXPECT_THAT(lines[23], HasSubstr("51-68 of 102"));
  EXPECT_EQ(top_rows(status, TopPage::kAccounts), 102);
  EXPECT_EQ(top_rows_shown({80, 24}), 18);
}

TEST(TopScreen, SaysWhyThereIsNothing) {
  TopStatus status;
  status.is_first = true;
  EXPECT_EQ(texts(top_lines(status, {}, {80, 24}))[4], "Asking ...");
  status.is_first = false;
  status.trouble = "since 12:00:00: no answer\nfrom a worker";
  const auto lines = top_lines(status, {TopPage::kFailures, 0}, {80, 24});
  EXPECT_EQ(lines[2].text, "since 12:00:00: no answer\\nfrom a worker");
  EXPECT_THAT(lines[4].text, StartsWith("No attempt has failed"));
}

TEST(TopScreen, FitsEveryTerminal) {
  for (int columns = 1; columns < 90; columns += 4) {
    for (int rows = 1; rows < 30; ++rows) {
      for (int page = 0; page < kTopPages; ++page) {
        const auto lines =
            top_lines(busy_status(), {static_cast<TopPage>(page), 0}, {columns, rows});
        ASSERT_LE(lines.size(), static_cast<std::size_t>(rows));
        for (const ScreenLine& line : lines)
          ASSERT_LE(columns_of(line.text), static_cast<std::size_t>(columns));
      }
    }
  }
}

TEST(ScreenText, MovesNoCursorAndTurnsNoDirection) {
  EXPECT_EQ(screen_text("a\r\x1b[2J\xc2\x9b"), "a\\x0d\\x1b[2J\\x9b");
  EXPECT_EQ(screen_text("a\xe2\x80\xae"
                        "b"),
            "a\\u202eb");
  EXPECT_EQ(screen_text("\xff"), "\\xff");
  EXPECT_EQ(screen_text("é日🙂"), "é日🙂");
}

TEST(ScreenText, CountsColumns) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("é"), 1u);
  EXPECT_EQ(columns_of("e\xcc\x81"), 1u);  // with a combining accent
  EXPECT_EQ(columns_of("日本"), 4u);
  EXPECT_EQ(columns_of("🙂"), 2u);
  EXPECT_EQ(cut_to("日本語", 5), "日本…");
  EXPECT_EQ(cut_to("日本語", 4), "日…");
  EXPECT_EQ(filled_to("日", 4), "日  ");
}

TEST(TopKeys, AreThoseOfTerminals) {
  std::string typed = "\t\x1b[C\x1b[D\x1b[Z\x1bOA\x1b[B\x1b[5~x1q";
  EXPECT_THAT(take_keys(typed), ElementsAre(TopKey::kNext, TopKey::kNext, TopKey::kPrevious,
                                            TopKey::kPrevious, TopKey::kUp, TopKey::kDown,
                                            TopKey::kPageUp, TopKey::kPage1, TopKey::kQuit));
  EXPECT_EQ(typed, "");
}

TEST(TopKeys, ASequenceMayComeInParts) {
  std::string typed = "\x1b";
  EXPECT_THAT(take_keys(typed), ElementsAre());
  typed += "[";
  EXPECT_THAT(take_keys(typed), ElementsAre());
  typed += "A";
  EXPECT_THAT(take_keys(typed), ElementsAre(TopKey::kUp));
  EXPECT_EQ(typed, "");
}

}  // namespace
}  // namespace penstock
