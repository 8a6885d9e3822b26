#include "consumer/config/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

Config parsed(std::string_view text) {
  auto config = parse_config(text);
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(Config{});
}

std::string refusal(std::string_view text) {
  const auto config = parse_config(text);
  EXPECT_FALSE(config) << text;
  return config ? "" : config.error().message;
}

// A document with every member, less those that this version refuses by name.
constexpr std::string_view kExample = R"({
  "kafka": { "bootstrap.servers": "127.0.0.1:9092" },   // any librdkafka property, passed through
  "state_dir": "./penstock-state",
  "prefix": "penstock",
  "http": { "listen": "127.0.0.1:8080", "token_file": null, "open_metrics": true },
  "queues": {
    "mail": {
      "partitions": 12,
      "account_concurrency": 1,
      "order": "created",            // created | strict | ready | fair
      "dedup_window": "24h",         // job ids remembered after the end
      "events": "off",               // off | terminal | all
      "unknown_types": "wait",       // wait | dead
      "types": {
        "webhook.send": {
          "handler": { "http": "http://127.0.0.1:3000/jobs", "secret_file": null },
          "timeout": "30s",
          "retry": { "attempts": 25, "backoff": "exponential", "base": "15s", "factor": 2, "max": "6h", "jitter": 0.2 },
          "keep": { "succeeded": "0s", "dead": "30d" }
        },
        "report:build": { "handler": { "exec": ["/usr/bin/python3", "handler.py"], "children": 8 } }
      }
    }
  }
})";

TEST(Config, ANulIsNotTheEnd) {
  const std::string document = "{}\n";
  for (const std::string_view rest :
       {std::string_view("\0", 1), std::string_view("\0rubbish", 8)}) {
    EXPECT_EQ(refusal(document + std::string(rest)),
              "line 2: found a NUL character, expected JSON text");
  }
}

TEST(Config, ReadsTheDocumentedExample) {
  const Config config = parsed(kExample);
  EXPECT_EQ(config.kafka.at("bootstrap.servers"), "127.0.0.1:9092");
  EXPECT_EQ(config.state_dir, "./penstock-state");
  EXPECT_EQ(config.prefix, "penstock");
  EXPECT_EQ(config.http.listen, "127.0.0.1:8080");
  EXPECT_EQ(config.http.token_file, "");
  EXPECT_TRUE(config.http.open_metrics);
  ASSERT_NE(config.queue("mail"), nullptr);
  const TypePolicy& type = config.queue("mail")->types.at("webhook.send");
  EXPECT_EQ(std::get<HttpHandler>(*type.handler).url, "http://127.0.0.1:3000/jobs");
  const auto& exec = std::get<ExecHandler>(*config.queue("mail")->types.at("report:build").handler);
  EXPECT_EQ(exec.argv, (std::vector<std::string>{"/usr/bin/python3", "handler.py"}));
  EXPECT_EQ(exec.children, 8);
}

TEST(Config, DefaultsAreTheExamplesValues) {
  const Config config = parsed(R"({"queues": {"mail": {"types": {"a": {}}}}})");
  const QueuePolicy& queue = config.queues.at(0);
  EXPECT_EQ(queue.partitions, 12);
  EXPECT_EQ(queue.account_concurrency, 1);
  EXPECT_EQ(queue.order, Order::kCreated);
  EXPECT_EQ(queue.dedup_window, Duration{24h});
  EXPECT_EQ(queue.lease, Duration{15s});
  EXPECT_EQ(queue.standbys, 0);
  EXPECT_EQ(queue.events, Events::kOff);
  EXPECT_EQ(queue.unknown_types, UnknownTypes::kWait);
  const TypePolicy& type = queue.types.at("a");
  EXPECT_FALSE(type.handler);
  EXPECT_EQ(type.timeout, Duration{30s});
  EXPECT_EQ(type.retry.attempts, 25);
  EXPECT_EQ(type.retry.base, Duration{15s});
  EXPECT_EQ(type.retry.max, Duration{6h});
  EXPECT_EQ(type.keep_succeeded, Duration{0});
  EXPECT_EQ(type.keep_dead, Duration{24h * 30});
}

TEST(Config, EveryValueIsReadFromItsOwnKey) {
  const Config config = parsed(R"({
    "state_dir": "/var/lib/p", "prefix": "p1",
    "http": {"listen": "[::1]:0", "token_file": "/t", "open_metrics": false},
    "queues": {"q": {"partitions": 3, "account_concurrency": 4, "order": "strict",
      "dedup_window": "2m", "lease": "6s", "standbys": 2, "events": "all", "unknown_types": "dead", "types": {"t": {
        "handler": {"http": "https://example.org", "secret_file": "/s"}, "timeout": "250ms",
        "retry": {"attempts": 3, "backoff": "exponential", "base": "1s", "factor": 1.5, "max": "7s",
                  "jitter": 0},
        "keep": {"succeeded": "1h", "dead": "2d"}}}}}})");
  EXPECT_EQ(config.state_dir, "/var/lib/p");
  EXPECT_EQ(config.prefix, "p1");
  EXPECT_EQ(config.http.token_file, "/t");
  EXPECT_FALSE(config.http.open_metrics);
  const QueuePolicy& queue = *config.queue("q");
  EXPECT_EQ(queue.partitions, 3);
  EXPECT_EQ(queue.account_concurrency, 4);
  EXPECT_EQ(queue.order, Order::kStrict);
  EXPECT_EQ(queue.dedup_window, Duration{2min});
  EXPECT_EQ(queue.lease, Duration{6s});
  EXPECT_EQ(queue.standbys, 2);
  EXPECT_EQ(queue.events, Events::kAll);
  EXPECT_EQ(queue.unknown_types, UnknownTypes::kDead);
  const TypePolicy& type = queue.types.at("t");
  EXPECT_EQ(std::get<HttpHandler>(*type.handler).secret_file, "/s");
  EXPECT_EQ(type.timeout, 250ms);
  EXPECT_EQ(type.retry.attempts, 3);
  EXPECT_EQ(type.retry.backoff, Backoff::kExponential);
  EXPECT_EQ(type.retry.base, 1s);
  EXPECT_EQ(type.retry.factor, 1.5);
  EXPECT_EQ(type.retry.max, 7s);
  EXPECT_EQ(type.retry.jitter, 0);
  EXPECT_EQ(type.keep_succeeded, 1h);
  EXPECT_EQ(type.keep_dead, 48h);
}

TEST(Config, EmptyDocumentMeansTheDefaults) {
  const Config config = parsed("{}");
  EXPECT_TRUE(config.queues.empty());
  EXPECT_TRUE(config.kafka.empty());
  EXPECT_EQ(config.http.listen, "127.0.0.1:8080");
}

TEST(Config, QueuesKeepTheOrderOfTheFile) {
  const Config config = parsed(R"({"queues": {"z": {}, "a": {}, "m": {}}})");
  ASSERT_EQ(config.queues.size(), 3u);
  EXPECT_EQ(config.queues[0].name, "z");
  EXPECT_EQ(config.queues[1].name, "a");
  EXPECT_EQ(config.queues[2].name, "m");
  EXPECT_EQ(config.queue("none"), nullptr);
}

TEST(Config, KafkaPropertiesPassThroughAsText) {
  const Config config = parsed(R"({"kafka": {"a": "text", "b": 60000, "c": true, "d": 0.5,
                                             "e": "", "f": false, "g": -1}})");
  const std::map<std::string, std::string> expected{{"a", "text"}, {"b", "60000"}, {"c", "true"},
                                                    {"d", "0.5"},  {"e", ""},      {"f", "false"},
                                                    {"g", "-1"}};
  EXPECT_EQ(config.kafka, expected);
}

TEST(Config, FixedBackoffMayBeLongerThanTheDefaultCap) {
  const Config config = parsed(
      R"({"queues": {"q": {"types": {"t": {"retry": {"backoff": "fixed", "base": "12h"}}}}}})");
  EXPECT_EQ(config.queues[0].types.at("t").retry.max, Duration{12h});
}

RetryPolicy retry_of(const std::string& members) {
  return parsed(R"({"queues": {"q": {"types": {"t": {"retry": {)" + members + "}}}}}}")
      .queues.at(0)
      .types.at("t")
      .retry;
}

TEST(Config, PolynomialBackoffHasADegree) {
  const RetryPolicy retry = retry_of(R"("backoff": "polynomial", "degree": 4)");
  EXPECT_EQ(retry.backoff, Backoff::kPolynomial);
  EXPECT_EQ(retry.degree, 4);
  EXPECT_EQ(retry_of(R"("backoff": "polynomial")").degree, 2);
}

TEST(Config, AListOfDelaysIsABackoff) {
  const RetryPolicy retry = retry_of(R"("delays": ["1s", "10s", "0s"], "attempts": 9)");
  EXPECT_EQ(retry.backoff, Backoff::kDelays);
  EXPECT_EQ(retry.delays, (std::vector<Duration>{1s, 10s, 0s}));
  EXPECT_EQ(retry.attempts, 9);
}

TEST(Config, ErrorsAreStatusesRangesAndNames) {
  const RetryPolicy retry =
      retry_of(R"("retry_on": ["5xx", 429, "timeout"], "discard_on": ["std::logic_error"])");
  EXPECT_EQ(retry.retry_on, (std::vector<ErrorPattern>{{"5xx"}, {"429"}, {"timeout"}}));
  EXPECT_EQ(retry.discard_on, (std::vector<ErrorPattern>{{"std::logic_error"}}));
  EXPECT_TRUE(retry_of("").retry_on.empty());
}

TEST(Config, PublicAddressIsTakenWithAToken) {
  const Config config = parsed(R"({"http": {"listen": "0.0.0.0:8080", "token_file": "/t"}})");
  EXPECT_EQ(config.http.listen, "0.0.0.0:8080");
}

TEST(Config, CommentsEndWithTheirLineAndStringsHaveNone) {
  const Config config = parsed(
      "// first\n{\"state_dir\": \"/a//b\\\"//c\" // \"not\" a { string\n}\n// last, without "
      "newline");
  EXPECT_EQ(config.state_dir, "/a//b\"//c");
}

TEST(Config, LoadNamesTheFile) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/penstock.json";
  std::ofstream(path) << R"({"prefixx": "a"})";
  const auto config = load_config(path);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message,
            path +
                ": /prefixx: found an unknown key, expected \"kafka\", \"state_dir\", \"prefix\", "
                "\"http\" or \"queues\"; did you mean \"prefix\"?");
}

TEST(Config, LoadReadsWhatParseReads) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/penstock.json";
  std::ofstream(path) << kExample;
  const auto config = load_config(path);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->queues.size(), 1u);
}

TEST(Config, LoadSaysWhatToDoAboutAMissingFile) {
  const auto config = load_config("/nonexistent/penstock.json");
  ASSERT_FALSE(config);
  EXPECT_EQ(
      config.error().message,
      "cannot read the config file /nonexistent/penstock.json: No such file or directory; name "
      "another with --config or PENSTOCK_CONFIG");
}

TEST(Config, LoadRefusesADirectory) {
  const auto config = load_config("/tmp");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message,
            "cannot read the config file /tmp: Is a directory; name another with --config or "
            "PENSTOCK_CONFIG");
}

TEST(Config, TooLargeADocumentIsRefused) {
  EXPECT_EQ(refusal(std::string((4 << 20) + 1, ' ')),
            "found 4194305 bytes, expected at most 4194304");
}

TEST(Config, DepthIsBounded) {
  const std::string message = "found objects or arrays more than 64 deep, expected fewer";
  EXPECT_EQ(refusal(std::string(4 << 20, '[')), message);
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']')), message);
  EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')),
            "the document: found an array, expected an object");
  EXPECT_EQ(refusal("{\"prefix\": \"a\\\"" + std::string(65, '[') + "\", \"x\": 1}").find(message),
            std::string::npos);
}

TEST(Config, EveryTruncationIsRefusedWithoutHarm) {
  for (std::size_t length = 0; length < kExample.size(); ++length) {
    EXPECT_FALSE(parse_config(kExample.substr(0, length))) << length;
  }
}

TEST(ListenAddress, HasAHostAndAPort) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:8080")->port, 8080);
  EXPECT_EQ(parse_listen_address("localhost:0")->host, "localhost");
  EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
  for (const auto* bad : {"", "8080", ":8080", "host:", "host:65536", "host:-1", "host:8x",
                          "::1:80", "[::1]", "[host]:80", "[]:80"}) {
    EXPECT_FALSE(parse_listen_address(bad)) << bad;
  }
}

TEST(ListenAddress, KnowsLoopback) {
  for (const auto* loopback : {"127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(parse_listen_address(loopback)->is_loopback()) << loopback;
  }
  for (const auto* open : {"0.0.0.0:1", "[::]:1", "192.168.0.1:1", "127.example.org:1"}) {
    EXPECT_FALSE(parse_listen_address(open)->is_loopback()) << open;
  }
}

}  // namespace
}  // namespace penstock
