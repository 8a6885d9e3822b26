#include "consumer/handlers/executors.h"

#include <gtest/gtest.h>

#include "loopback_server.h"
#include "script.h"
#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

TEST(Executors, FindsByQueueAndType) {
  Executors executors;
  ASSERT_TRUE(executors.add("mail", "a", NoopHandler{}).has_value());
  ASSERT_TRUE(executors.add("mail", "b", SleepHandler{1ms}).has_value());
  ASSERT_TRUE(executors.add("bills", "a", FailHandler{1}).has_value());
  EXPECT_NE(executors.find("mail", "a"), nullptr);
  EXPECT_NE(executors.find("mail", "a"), executors.find("bills", "a"));
  EXPECT_EQ(executors.find("bills", "b"), nullptr);
  EXPECT_EQ(executors.find("other", "a"), nullptr);
}

TEST(Executors, TakesTheCppHandlerFirst) {
  TestMailbox mailbox;
  Executors executors;
  ASSERT_TRUE(executors.add("mail", "webhook.send", NoopHandler{}).has_value());
  executors.add_functions(1, {{"webhook.send", [](Attempt&) { return discard("mine"); }}});
  executors.find("mail", "webhook.send")->start(request(1), mailbox);
  EXPECT_EQ(as<Discard>(mailbox.outcome()).reason, "mine");
  EXPECT_NE(executors.find("any queue", "webhook.send"), nullptr);
  EXPECT_EQ(executors.find("mail", "other"), nullptr);
}

TEST(Executors, MakesEachKindOfHandler) {
  const LoopbackServer server([](const auto&, auto& answer) { answer.status = 410; });
  const Script script;
  TestMailbox mailbox;
  Executors executors;
  ASSERT_TRUE(executors.add("q", "http", HttpHandler{server.url(), ""}).has_value());
  ASSERT_TRUE(executors.add("q", "exec", ExecHandler{script.argv(), 1}).has_value());
  ASSERT_TRUE(executors.add("q", "noop", NoopHandler{}).has_value());
  ASSERT_TRUE(executors.add("q", "sleep", SleepHandler{1ms}).has_value());
  ASSERT_TRUE(executors.add("q", "fail", FailHandler{1}).has_value());
  const auto outcome = [&](const char* type, std::uint64_t number) {
    executors.find("q", type)->start(request(number), mailbox);
    return mailbox.outcome();
  };
  as<Discard>(outcome("http", 1));
  as<NextIteration>(outcome("exec", 2));
  as<Done>(outcome("noop", 3));
  as<Done>(outcome("sleep", 4));
  as<RetryLater>(outcome("fail", 5));
}

TEST(Executors, NamesTheTypeInTheLog) {
  const Script script;
  std::mutex mutex;
  std::string first;
  Flag logged;
  Executors executors([&](std::string_view line) {
    const std::lock_guard lock(mutex);
    first = line;
    logged.set();
  });
  ASSERT_TRUE(executors.add("q", "resize", ExecHandler{script.argv(), 1}).has_value());
  EXPECT_TRUE(logged.wait());
  const std::lock_guard lock(mutex);
  EXPECT_TRUE(first.starts_with("resize: pid "));
}

TEST(Executors, RefusesASecretFileThatIsNotThere) {
  Executors executors;
  const Status added =
      executors.add("q", "t", HttpHandler{"http://127.0.0.1:1/", "/nowhere/secret"});
  ASSERT_FALSE(added.has_value());
  EXPECT_NE(added.error().message.find("/nowhere/secret"), std::string::npos);
}

}  // namespace
}  // namespace penstock
