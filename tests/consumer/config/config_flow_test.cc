// What the config file says of flow control: read, and refused with the exact message. A file is
// read with the whole contract, whatever of it this version has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "consumer/config/config.h"

namespace penstock {
namespace {

std::string in_some_queue(const std::string& members) {
  return R"({"queues": {"mail": {)" + members + "}}}";
}

std::string in_some_type(const std::string& members) {
  return in_some_queue(R"("types": {"t": {)" + members + "}}");
}

QueuePolicy queue_of(const std::string& members) {
  const auto config = parse_config(in_some_queue(members));
  EXPECT_TRUE(config) << config.error().message;
  return config ? config->queues.at(0) : QueuePolicy{};
}

TypePolicy type_of(const std::string& members) {
  const QueuePolicy queue = queue_of(R"("types": {"t": {)" + members + "}}");
  return queue.types.empty() ? TypePolicy{} : queue.types.at("t");
}

void expect_whole_refused(const std::string& text, const std::string& message) {
  const auto config = parse_config(text);
  ASSERT_FALSE(config) << text;
  EXPECT_EQ(config.error().message, message) << text;
}

const std::string kSomeType = "/queues/mail/types/t";

// -- Absent

TEST(FlowConfig, NothingIsLimitedUnlessTheFileSaysSo) {
  const TypePolicy type = type_of("");
  EXPECT_FALSE(type.unique);
  EXPECT_TRUE(type.limits.empty());
  EXPECT_FALSE(type.batch);
  EXPECT_FALSE(type.max_runtime);
  EXPECT_EQ(type.between_iterations, BetweenIterations::kKeep);
  EXPECT_FALSE(type.retry.breaker);
  EXPECT_EQ(queue_of("").fair, FairShare::kByAccount);
}

// -- Unique

UniquePolicy unique_of(const std::string& members) {
  return type_of(R"("unique": {)" + members + "}").unique.value_or(UniquePolicy{});
}

void expect_unique_refused(const std::string& members, const std::string& message) {
  expect_whole_refused(in_some_type(R"("unique": {)" + members + "}"),
                       kSomeType + "/unique" + message);
}

TEST(UniqueConfig, DefaultsAreTheExamplesValues) {
  EXPECT_EQ(
      unique_of(""),
      (UniquePolicy{
          .by = {}, .scope = UniqueScope::kQueued, .on_conflict = OnConflict::kDrop, .ttl = 0s}));
}

TEST(UniqueConfig, EveryScopeAndConflictIsRead) {
  const UniquePolicy unique =
      unique_of(R"("by": ["/segment_id", "/a~1b/0"], "scope": "ttl", "ttl": "5m",
                   "on_conflict": "replace")");
  ASSERT_EQ(unique.by.size(), 2u);
  EXPECT_EQ(unique.by[0].text, "/segment_id");
  EXPECT_EQ(unique.by[1].tokens, (std::vector<std::string>{"a/b", "0"}));
  EXPECT_EQ(unique.scope, UniqueScope::kTtl);
  EXPECT_EQ(unique.ttl, 5min);
  EXPECT_EQ(unique.on_conflict, OnConflict::kReplace);
  EXPECT_EQ(unique_of(R"("scope": "running")").scope, UniqueScope::kRunning);
  EXPECT_EQ(unique_of(R"("scope": "queued_and_running")").scope, UniqueScope::kQueuedAndRunning);
  EXPECT_EQ(unique_of(R"("scope": "until_done")").scope, UniqueScope::kUntilDone);
  EXPECT_EQ(unique_of(R"("on_conflict": "debounce")").on_conflict, OnConflict::kDebounce);
  EXPECT_EQ(unique_of(R"("on_conflict": "keep_latest")").on_conflict, OnConflict::kKeepLatest);
  EXPECT_EQ(unique_of(R"("on_conflict": "dead")").on_conflict, OnConflict::kDead);
}

TEST(UniqueConfig, RefusesWhatCannotBe) {
  const std::string array_rule = ", expected an array of 0 to 16 JSON pointers";
  expect_unique_refused(R"("by": "/a")", "/by: found \"/a\"" + array_rule);
  expect_unique_refused(R"("by": [1])", "/by/0: found 1, expected a string");
  expect_unique_refused(R"("by": ["/a", "b"])",
                        "/by/1: found \"b\", expected a JSON pointer such as \"/segment_id\"");
  expect_unique_refused(R"("by": ["/~2"])",
                        "/by/0: found \"/~2\", expected each ~ to be followed by 0 or 1");
  expect_unique_refused(R"("by": ["/a", "/a"])", "/by/1: found \"/a\", expected each pointer once");
  expect_unique_refused(R"("scope": "always")",
                        "/scope: found \"always\", expected \"queued\", \"running\", "
                        "\"queued_and_running\", \"until_done\" or \"ttl\"");
  expect_unique_refused(R"("on_conflict": "keep")",
                        "/on_conflict: found \"keep\", expected \"drop\", \"replace\", "
                        "\"debounce\", \"keep_latest\" or \"dead\"");
  expect_unique_refused(
      R"("scope": "ttl")",
      ": found \"scope\": \"ttl\" without \"ttl\", expected a duration in \"ttl\"");
  expect_unique_refused(
      R"("ttl": "5m")",
      "/ttl: found it with another scope, expected it only with \"scope\": \"ttl\"");
  expect_unique_refused(R"("scope": "ttl", "ttl": "0s")",
                        "/ttl: found \"0s\", expected a duration longer than 0s");
  expect_unique_refused(
      R"("scope": "running", "on_conflict": "drop")",
      "/on_conflict: found it with \"scope\": \"running\", expected it only with the other scopes: "
      "under \"running\", the later job waits");
  expect_unique_refused(
      R"("per": [])",
      "/per: found an unknown key, expected \"by\", \"scope\", \"on_conflict\" or \"ttl\"");
}

// -- Limits

std::vector<LimitPolicy> limits_of(const std::string& limits) {
  return type_of(R"("limits": [)" + limits + "]").limits;
}

void expect_limit_refused(const std::string& limits, const std::string& message) {
  expect_whole_refused(in_some_type(R"("limits": [)" + limits + "]"),
                       kSomeType + "/limits" + message);
}

TEST(LimitConfig, ReadsSlotsRatesAndBoth) {
  const auto limits = limits_of(R"({"name": "webhook/{account}", "slots": 10},
                                   {"name": "crm/{args/region}", "rate": "100/s", "burst": 20},
                                   {"name": "all", "slots": 0, "rate": "10/m"})");
  ASSERT_EQ(limits.size(), 3u);
  EXPECT_EQ(limits[0].slots, 10);
  EXPECT_FALSE(limits[0].rate);
  EXPECT_FALSE(limits[1].slots);
  EXPECT_EQ(limits[1].rate, (Rate{100, 1s}));
  EXPECT_EQ(limits[1].burst, 20);
  EXPECT_EQ(limits[2].slots, 0);
  EXPECT_EQ(limits[2].rate, (Rate{10, 60s}));
  EXPECT_EQ(limits[2].burst, 1);
}

TEST(LimitConfig, OneWithTheAccountIsLocal) {
  const auto limits = limits_of(R"({"name": "{type}/{account}/x", "slots": 1},
                                   {"name": "{queue}/{type}/{args/account}", "slots": 1})");
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_TRUE(limits[0].is_local());
  EXPECT_FALSE(limits[1].is_local());
}

TEST(LimitConfig, RefusesWhatCannotBe) {
  expect_limit_refused(R"("all")", "/0: found \"all\", expected an object");
  expect_limit_refused(R"({"slots": 1})", "/0: found no \"name\", expected one");
  expect_limit_refused(R"({"name": "a"})",
                       "/0: found neither \"slots\" nor \"rate\", expected one of them or both");
  expect_limit_refused(R"({"name": "a", "slots": -1})",
                       "/0/slots: found -1, expected a whole number from 0 to 1000000");
  expect_limit_refused(
      R"({"name": "a", "rate": "100"})",
      "/0/rate: found \"100\", expected a rate such as \"100/s\", \"10/m\" or \"5/h\"");
  expect_limit_refused(R"({"name": "a", "rate": 100})", "/0/rate: found 100, expected a string");
  expect_limit_refused(R"({"name": "a", "rate": "1/s", "burst": 0})",
                       "/0/burst: found 0, expected a whole number from 1 to 1000000");
  expect_limit_refused(R"({"name": "a", "slots": 1, "burst": 2})",
                       "/0/burst: found it without \"rate\", expected it only with \"rate\"");
  expect_limit_refused(R"({"name": "a/{user}", "slots": 1})",
                       "/0/name: found the placeholder {user}, expected {account}, {type}, {queue} "
                       "or {args/NAME}");
  expect_limit_refused(R"({"name": "a", "slots": 1}, {"name": "a", "slots": 1})",
                       "/1: found the limit \"a\" a second time, expected it once");
  expect_whole_refused(
      in_some_type(R"("limits": {})"),
      kSomeType + "/limits: found an empty object, expected an array of 0 to 8 limits");
}

TEST(LimitConfig, ANameSaysTheSameWhereverItStands) {
  const auto with = [](const std::string& other) {
    return R"({"queues": {"a": {"types": {"t": {"limits": [{"name": "x", "slots": 3}]}}},
                          "b": {"types": {"u": {"limits": [{"name": "x", )" +
           other + "}]}}}}}";
  };
  EXPECT_TRUE(parse_config(with(R"("slots": 3)")));
  const std::string message =
      "/queues/b/types/u/limits/0: found other values for the limit \"x\" than "
      "/queues/a/types/t/limits/0 has, expected the same wherever the name occurs";
  expect_whole_refused(with(R"("slots": 4)"), message);
  expect_whole_refused(with(R"("rate": "3/s")"), message);
  expect_whole_refused(with(R"("slots": 3, "rate": "3/s")"), message);
}

TEST(LimitNames, AreTextAndPlaceholders) {
  const LimitName name = *parse_limit_name("a/{account}-{type}{queue}{args/x~1y/0}");
  using Part = LimitName::Part;
  ASSERT_EQ(name.segments.size(), 6u);
  EXPECT_EQ(name.segments[0].text, "a/");
  EXPECT_EQ(name.segments[1].part, Part::kAccount);
  EXPECT_EQ(name.segments[2].text, "-");
  EXPECT_EQ(name.segments[3].part, Part::kType);
  EXPECT_EQ(name.segments[4].part, Part::kQueue);
  EXPECT_EQ(name.segments[5].part, Part::kArgument);
  EXPECT_EQ(name.segments[5].pointer.tokens, (std::vector<std::string>{"x/y", "0"}));
  EXPECT_EQ(name.text, "a/{account}-{type}{queue}{args/x~1y/0}");
}

TEST(LimitNames, RefuseBracesThatNameNothing) {
  for (const auto* bad :
       {"", "{", "}", "a}", "{a", "{}", "{{account}}", "{args}", "{Account}", "{args/~}", "a\tb"}) {
    EXPECT_FALSE(parse_limit_name(bad)) << bad;
  }
  EXPECT_TRUE(parse_limit_name(std::string(kMaxLimitNameBytes, 'a')));
  EXPECT_FALSE(parse_limit_name(std::string(kMaxLimitNameBytes + 1, 'a')));
}

// -- Batches, long jobs, order, breaker

TEST(BatchConfig, EveryValueIsReadFromItsOwnKey) {
  EXPECT_EQ(type_of(R"("batch": {})").batch, BatchPolicy{});
  EXPECT_EQ(type_of(R"("batch": {"max": 7, "collect": "set", "delay": "2s", "target": "5s",
                                 "on_error": "split"})")
                .batch,
            (BatchPolicy{.max = 7,
                         .collect = Collect::kSet,
                         .delay = 2s,
                         .target = 5s,
                         .on_error = OnBatchError::kSplit}));
  EXPECT_FALSE(type_of(R"("batch": {"target": null})").batch->target);
}

TEST(BatchConfig, RefusesWhatCannotBe) {
  const auto refused = [](const std::string& members, const std::string& message) {
    expect_whole_refused(in_some_type(R"("batch": {)" + members + "}"),
                         kSomeType + "/batch" + message);
  };
  refused(R"("max": 0)", "/max: found 0, expected a whole number from 1 to 3000");
  refused(R"("collect": "list")", "/collect: found \"list\", expected \"fifo\" or \"set\"");
  refused(R"("delay": 2)", "/delay: found 2, expected a duration such as \"15s\"");
  refused(R"("target": "0s")", "/target: found \"0s\", expected a duration longer than 0s");
  refused(R"("on_error": "drop")", "/on_error: found \"drop\", expected \"retry\" or \"split\"");
  refused(R"("size": 2)",
          "/size: found an unknown key, expected \"max\", \"collect\", \"delay\", \"target\" or "
          "\"on_error\"");
}

TEST(LongJobConfig, ReadsTheLongestRunAndWhatIsHeldBetweenIterations) {
  const TypePolicy type = type_of(R"("max_runtime": "5m", "between_iterations": "release")");
  EXPECT_EQ(type.max_runtime, Duration{5min});
  EXPECT_EQ(type.between_iterations, BetweenIterations::kRelease);
  expect_whole_refused(
      in_some_type(R"("max_runtime": "0s")"),
      kSomeType + "/max_runtime: found \"0s\", expected a duration longer than 0s");
  expect_whole_refused(
      in_some_type(R"("between_iterations": "drop")"),
      kSomeType + "/between_iterations: found \"drop\", expected \"keep\" or \"release\"");
}

TEST(LongJobConfig, MaxRuntimeIsRefusedWhereNoJobGoesBehindAnother) {
  expect_whole_refused(in_some_queue(R"("types": {"t": {"max_runtime": "1m"}}, "order": "strict")"),
                       kSomeType +
                           "/max_runtime: found it in a queue with \"order\": \"strict\", where no "
                           "job may yield; "
                           "expected it only with the other orders");
}

TEST(OrderConfig, FairIsBetweenBulksOrBetweenAccountsFirst) {
  const QueuePolicy queue = queue_of(R"("order": "fair", "fair": "flat")");
  EXPECT_EQ(queue.order, Order::kFair);
  EXPECT_EQ(queue.fair, FairShare::kFlat);
  EXPECT_EQ(queue_of(R"("order": "fair")").fair, FairShare::kByAccount);
  for (const char* order : {"", R"("order": "created", )", R"("order": "strict", )"}) {
    expect_whole_refused(in_some_queue(std::string(order) + R"("fair": "flat")"),
                         "/queues/mail/fair: found it in a queue with another order, expected "
                         "it only with \"order\": \"fair\"");
  }
  expect_whole_refused(in_some_queue(R"("fair": "account")"),
                       "/queues/mail/fair: found \"account\", expected \"by_account\" or \"flat\"");
  expect_whole_refused(in_some_queue(R"("order": "random")"),
                       "/queues/mail/order: found \"random\", expected \"created\", \"strict\", "
                       "\"ready\" or \"fair\"");
}

TEST(BreakerConfig, StandsInRetry) {
  EXPECT_EQ(type_of(R"("retry": {"breaker": {}})").retry.breaker, BreakerPolicy{});
  EXPECT_EQ(type_of(R"("retry": {"breaker": {"failures": 3, "probe": "1m"}})").retry.breaker,
            (BreakerPolicy{.failures = 3, .probe = 1min}));
  const std::string breaker = kSomeType + "/retry/breaker";
  expect_whole_refused(in_some_type(R"("retry": {"breaker": {"failures": 0}})"),
                       breaker + "/failures: found 0, expected a whole number from 1 to 1000000");
  expect_whole_refused(in_some_type(R"("retry": {"breaker": {"probe": "0s"}})"),
                       breaker + "/probe: found \"0s\", expected a duration longer than 0s");
}

TEST(ConfigFlow, ALimitWithAnAccountInItsNameIsLocalAndAnyOtherIsShared) {
  const auto limits = [](const std::string& name) {
    return type_of(R"("limits": [{"name": ")" + name + R"(", "slots": 3}])").limits;
  };
  EXPECT_TRUE(limits("crm/{account}").front().is_local());
  EXPECT_FALSE(limits("crm").front().is_local());
  EXPECT_FALSE(limits("crm/{args/region}/{type}").front().is_local());
}

}  // namespace
}  // namespace penstock
