// Every way that a config file is refused, with the exact message.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "consumer/config/config.h"

namespace penstock {
namespace {

struct Refused {
  std::string text;
  std::string message;
};

std::string in_queue(std::string_view members) {
  return R"({"queues": {"mail": {)" + std::string(members) + "}}}";
}

std::string in_type(std::string_view members) {
  return in_queue(R"("types": {"webhook.send": {)" + std::string(members) + "}}");
}

std::string in_retry(std::string_view members) {
  return in_type(R"("retry": {)" + std::string(members) + "}");
}

std::string in_handler(std::string_view members) {
  return in_type(R"("handler": {)" + std::string(members) + "}");
}

void expect_refused(const std::vector<Refused>& table) {
  for (const auto& [text, message] : table) {
    const auto config = parse_config(text);
    ASSERT_FALSE(config) << text;
    EXPECT_EQ(config.error().message, message) << text;
  }
}

const std::string kQueue = "/queues/mail";
const std::string kType = kQueue + "/types/webhook.send";
const std::string kRetry = kType + "/retry";
const std::string kHandler = kType + "/handler";

TEST(ConfigRefusals, BrokenJsonNamesLineAndColumn) {
  expect_refused({
      {"",
       "line 1, column 1: syntax error while parsing value - unexpected end of input; expected "
       "'[', '{', or a literal"},
      {"{\n  \"a\" 1}",
       "line 2, column 7: syntax error while parsing object separator - unexpected "
       "number literal; expected ':'"},
      {"// { \n {\n // c\n}}",
       "line 4, column 2: syntax error while parsing value - unexpected '}'; "
       "expected end of input"},
      {"{} /* block */",
       "line 1, column 4: syntax error while parsing value - invalid literal; last "
       "read: '{} /'; expected end of input"},
  });
}

TEST(ConfigRefusals, RepeatedMemberNames) {
  expect_refused({
      {R"({"prefix": "a", "prefix": "a"})", "/prefix: found this member twice, expected it once"},
      {in_queue(R"("events": "off", "order": "ready", "events": "off")"),
       "/queues/mail/events: found this member twice, expected it once"},
      {R"({"kafka": {"a/b~c": 1, "x": {"y": 1}, "a/b~c": 1}})",
       "/kafka/a~1b~0c: found this member twice, expected it once"},
      {R"({"kafka": [1, {}, [], {"a": 1, "a": 2}]})",
       "/kafka/3/a: found this member twice, expected it once"},
  });
}

TEST(ConfigRefusals, WrongTypesOfTheOuterMembers) {
  expect_refused({
      {"[]", "the document: found an empty array, expected an object"},
      {"12", "the document: found 12, expected an object"},
      {R"({"kafka": []})", "/kafka: found an empty array, expected an object"},
      {R"({"kafka": {"a.b": null}})",
       "/kafka/a.b: found null, expected a string, a number, true or false"},
      {R"({"kafka": {"a/b": {}}})",
       "/kafka/a~1b: found an object, expected {\"file\": PATH} or {\"env\": NAME}"},
      {R"({"kafka": {"a": "x\u0000"}})",
       "/kafka/a: found a NUL character, expected a string without one"},
      {R"({"state_dir": 1})", "/state_dir: found 1, expected a string"},
      {R"({"state_dir": ""})", "/state_dir: found \"\", expected a string that is not empty"},
      {R"({"state_dir": "a\u0000"})",
       "/state_dir: found \"a\\u0000\", expected a string without a NUL character"},
      {R"({"prefix": null})", "/prefix: found null, expected a string"},
      {R"({"prefix": "a b"})",
       "/prefix: prefix \"a b\" is invalid: use one or more of A-Z a-z 0-9 . _ -"},
      {R"({"http": "127.0.0.1:80"})", "/http: found \"127.0.0.1:80\", expected an object"},
      {R"({"http": {"listen": 80}})", "/http/listen: found 80, expected a string"},
      {R"({"http": {"listen": "80"}})",
       "/http/listen: found \"80\", expected an address such as \"127.0.0.1:8080\""},
      {R"({"http": {"listen": "0.0.0.0:80"}})",
       "/http/listen: found \"0.0.0.0:80\", expected a loopback address, or a \"token_file\" "
       "or \"tokens\" as well"},
      {R"({"http": {"token_file": 7}})", "/http/token_file: found 7, expected a string"},
      {R"({"http": {"open_metrics": "yes"}})",
       "/http/open_metrics: found \"yes\", expected true or false"},
      {R"({"queues": ["mail"]})", "/queues: found an array, expected an object"},
      {R"({"queues": {"mail": null}})", "/queues/mail: found null, expected an object"},
  });
}

TEST(ConfigRefusals, UnknownKeysNameTheNearest) {
  expect_refused({
      {R"({"state_dirs": "a"})",
       "/state_dirs: found an unknown key, expected \"kafka\", \"state_dir\", \"prefix\", \"http\" "
       "or "
       "\"queues\"; did you mean \"state_dir\"?"},
      {R"({"quux": 1})",
       "/quux: found an unknown key, expected \"kafka\", \"state_dir\", \"prefix\", \"http\" or "
       "\"queues\""},
      {R"({"http": {"tokenfile": "a"}})",
       "/http/tokenfile: found an unknown key, expected \"listen\", \"token_file\", "
       "\"tokens\", \"open_metrics\", \"health_listen\", \"tls\", \"group_token_file\", "
       "\"advertise\", \"max_connections\" or \"max_connections_per_address\"; did you mean "
       "\"token_file\"?"},
      {in_type(R"("keep": {"succeded": "1s"})"),
       kType +
           "/keep/succeded: found an unknown key, expected \"succeeded\" or \"dead\"; did you mean "
           "\"succeeded\"?"},
      {in_handler(R"("htp": "http://a")"),
       kHandler + "/htp: found an unknown key, expected \"http\", \"secret_file\", \"exec\" or "
                  "\"children\"; did you mean \"http\"?"},
  });
}

TEST(ConfigRefusals, UnknownKeysOfTheWholeContract) {
  expect_refused({
      {in_queue(R"("ordr": "ready")"),
       kQueue + "/ordr: found an unknown key, expected \"partitions\", "
                "\"account_concurrency\", \"order\", \"fair\", \"dedup_window\", "
                "\"lease\", \"standbys\", \"events\", \"unknown_types\" or \"types\"; did you mean "
                "\"order\"?"},
      {in_type(R"("time_out": "1s")"),
       kType + "/time_out: found an unknown key, expected \"handler\", \"timeout\", "
               "\"retry\", \"keep\", \"unique\", \"limits\", \"batch\", "
               "\"max_runtime\" or \"between_iterations\"; did you mean \"timeout\"?"},
      {in_retry(R"("attempt": 1)"),
       kRetry + "/attempt: found an unknown key, expected \"attempts\", \"backoff\", "
                "\"base\", \"factor\", \"degree\", \"max\", \"jitter\", \"delays\", "
                "\"retry_on\", \"discard_on\" or \"breaker\"; did you mean \"attempts\"?"},
      {in_queue(R"("order": "random")"),
       kQueue + "/order: found \"random\", expected \"created\", \"strict\", \"ready\" or "
                "\"fair\""},
  });
}

TEST(ConfigRefusals, QueueValues) {
  expect_refused({
      {in_queue(R"("partitions": 0)"),
       kQueue + "/partitions: found 0, expected a whole number from 1 to 10000"},
      {in_queue(R"("partitions": 10001)"),
       kQueue + "/partitions: found 10001, expected a whole number from 1 to 10000"},
      {in_queue(R"("partitions": 12.0)"),
       kQueue + "/partitions: found 12.0, expected a whole number from 1 to 10000"},
      {in_queue(R"("partitions": "12")"),
       kQueue + "/partitions: found \"12\", expected a whole number from 1 to 10000"},
      {in_queue(R"("partitions": 18446744073709551615)"),
       kQueue + "/partitions: found 18446744073709551615, expected a whole number from 1 to 10000"},
      {in_queue(R"("account_concurrency": -1)"),
       kQueue + "/account_concurrency: found -1, expected a whole number from 1 to 10000"},
      {in_queue(R"("order": 1)"), kQueue + "/order: found 1, expected a string"},
      {in_queue(R"("dedup_window": 24)"),
       kQueue + "/dedup_window: found 24, expected a duration such as \"15s\""},
      {in_queue(R"("dedup_window": "0s")"),
       kQueue + "/dedup_window: found \"0s\", expected a duration longer than 0s"},
      {in_queue(R"("dedup_window": "40000d")"),
       kQueue + "/dedup_window: found \"40000d\", expected a duration of at most 36500d"},
      {in_queue(R"("lease": "2999ms")"),
       kQueue + "/lease: found \"2999ms\", expected a duration from 3s to 1m"},
      {in_queue(R"("lease": "61s")"),
       kQueue + "/lease: found \"61s\", expected a duration from 3s to 1m"},
      {in_queue(R"("standbys": 4)"),
       kQueue + "/standbys: found 4, expected a whole number from 0 to 3"},
      {in_queue(R"("lease": 15)"),
       kQueue + "/lease: found 15, expected a duration such as \"15s\""},
      {in_queue(R"("events": true)"), kQueue + "/events: found true, expected a string"},
      {in_queue(R"("events": "on")"),
       kQueue + "/events: found \"on\", expected \"off\", \"terminal\" or \"all\""},
      {in_queue(R"("unknown_types": "drop")"),
       kQueue + "/unknown_types: found \"drop\", expected \"wait\" or \"dead\""},
      {in_queue(R"("types": [])"), kQueue + "/types: found an empty array, expected an object"},
      {in_queue(R"("types": {"a": 1})"), kQueue + "/types/a: found 1, expected an object"},
  });
}

TEST(ConfigRefusals, NamesOfQueuesAndTypes) {
  const std::string long_name(224, 'q');
  const std::string letters = " is invalid: use one or more of A-Z a-z 0-9 . _ -";
  const std::string own =
      " is invalid: Penstock has a topic of its own with this name; choose another";
  const std::string ending = ", which is how Penstock names a queue's own topics";
  const std::string type_rule = "\", expected a name of 1 to 128 of A-Z a-z 0-9 . _ : -";
  const std::string long_type(129, 't');
  expect_refused({
      {R"({"queues": {"": {}}})", "/queues/: queue name \"\"" + letters},
      {R"({"queues": {"a/b": {}}})", "/queues/a~1b: queue name \"a/b\"" + letters},
      {R"({"queues": {"control": {}}})", "/queues/control: queue name \"control\"" + own},
      {R"({"queues": {"slots": {}}})", "/queues/slots: queue name \"slots\"" + own},
      {R"({"queues": {"a.state": {}}})",
       "/queues/a.state: queue name \"a.state\" is invalid: it must not end in .state" + ending},
      {R"({"queues": {"a.dead": {}}})",
       "/queues/a.dead: queue name \"a.dead\" is invalid: it must not end in .dead" + ending},
      {R"({"queues": {"a.events": {}}})",
       "/queues/a.events: queue name \"a.events\" is invalid: it must not end in .events" + ending},
      {R"({"prefix": "p", "queues": {")" + long_name + R"(": {}}})",
       "/queues/" + long_name + ": queue name \"" + std::string(40, 'q') +
           "...\" is invalid: with its prefix it has 226 bytes, expected at most 224"},
      {in_queue(R"("types": {"a b": {}})"),
       kQueue + "/types/a b: found a type named \"a b" + type_rule},
      {in_queue(R"("types": {"": {}})"), kQueue + "/types/: found a type named \"" + type_rule},
      {in_queue(R"("types": {")" + long_type + R"(": {}})"),
       kQueue + "/types/" + long_type + ": found a type named \"" + long_type + type_rule},
  });
}

TEST(ConfigRefusals, TimeoutAndKeep) {
  expect_refused({
      {in_type(R"("timeout": 30)"),
       kType + "/timeout: found 30, expected a duration such as \"15s\""},
      {in_type(R"("timeout": "0ms")"),
       kType + "/timeout: found \"0ms\", expected a duration longer than 0s"},
      {in_type(R"("keep": "30d")"), kType + "/keep: found \"30d\", expected an object"},
      {in_type(R"("keep": {"dead": "1w"})"),
       kType + "/keep/dead: found \"1w\", expected a duration such as \"15s\""},
  });
}

TEST(ConfigRefusals, Retry) {
  expect_refused({
      {in_retry(R"("base": 15)"), kRetry + "/base: found 15, expected a duration such as \"15s\""},
      {in_retry(R"("attempts": 0)"),
       kRetry + "/attempts: found 0, expected a whole number from 1 to 1000000"},
      {in_retry(R"("backoff": "linear")"),
       kRetry +
           "/backoff: found \"linear\", expected \"exponential\", \"fixed\" or \"polynomial\""},
      {in_retry(R"("factor": 0.5)"),
       kRetry + "/factor: found 0.5, expected a number from 1 to 1000"},
      {in_retry(R"("factor": "2")"),
       kRetry + "/factor: found \"2\", expected a number from 1 to 1000"},
      {in_retry(R"("factor": 1.2345)"),
       kRetry + "/factor: found 1.2345, expected a number from 1 to 1000 with at most three "
                "decimals"},
      {in_retry(R"("backoff": "fixed", "factor": 2)"),
       kRetry + "/factor: found it with another backoff, expected it only with \"backoff\": "
                "\"exponential\""},
      {in_retry(R"("degree": 2)"),
       kRetry + "/degree: found it with another backoff, expected it only with \"backoff\": "
                "\"polynomial\""},
      {in_retry(R"("backoff": "polynomial", "degree": 11)"),
       kRetry + "/degree: found 11, expected a whole number from 1 to 10"},
      {in_retry(R"("jitter": 1.1)"), kRetry + "/jitter: found 1.1, expected a number from 0 to 1"},
      {in_retry(R"("jitter": -0.1)"),
       kRetry + "/jitter: found -0.1, expected a number from 0 to 1"},
      {in_retry(R"("base": "2m", "max": "90s")"),
       kRetry + "/max: found \"90s\", expected at least the base, 2m"},
      {in_retry(R"("backoff": "fixed", "max": "1s")"),
       kRetry + "/max: found \"1s\", expected at least the base, 15s"},
      {in_retry(R"("base": "12h")"),
       kRetry + "/base: found \"12h\", expected at most 6h, the default of \"max\", or a greater "
                "\"max\" as well"},
      {in_type(R"("retry": 3)"), kRetry + ": found 3, expected an object"},
  });
}

TEST(ConfigRefusals, RetryDelays) {
  const std::string array_rule = ", expected an array of 1 to 1000 durations";
  const std::string beside = ": found it together with \"delays\", expected only one of them";
  expect_refused({
      {in_retry(R"("delays": "1s")"), kRetry + "/delays: found \"1s\"" + array_rule},
      {in_retry(R"("delays": [])"), kRetry + "/delays: found an empty array" + array_rule},
      {in_retry(R"("delays": ["1s", 2])"),
       kRetry + "/delays/1: found 2, expected a duration such as \"15s\""},
      {in_retry(R"("delays": ["1s"], "backoff": "fixed")"), kRetry + "/backoff" + beside},
      {in_retry(R"("delays": ["1s"], "base": "1s")"), kRetry + "/base" + beside},
      {in_retry(R"("delays": ["1s"], "factor": 2)"), kRetry + "/factor" + beside},
      {in_retry(R"("delays": ["1s"], "degree": 2)"), kRetry + "/degree" + beside},
      {in_retry(R"("delays": ["1s"], "max": "1s")"), kRetry + "/max" + beside},
  });
}

TEST(ConfigRefusals, RetryErrors) {
  const std::string rule =
      ", expected a status such as \"503\", a range such as \"5xx\", or an error's name, which "
      "must not begin with a digit";
  const std::string array_rule = ", expected an array of 1 to 100 statuses and error names";
  expect_refused({
      {in_retry(R"("retry_on": "5xx")"), kRetry + "/retry_on: found \"5xx\"" + array_rule},
      {in_retry(R"("discard_on": [])"), kRetry + "/discard_on: found an empty array" + array_rule},
      {in_retry(R"("discard_on": ["a", true])"),
       kRetry + "/discard_on/1: found true, expected a string or a whole number"},
      {in_retry(R"("discard_on": [503.5])"),
       kRetry + "/discard_on/0: found 503.5, expected a string or a whole number"},
      {in_retry(R"("retry_on": ["50x"])"), kRetry + "/retry_on/0: found \"50x\"" + rule},
      {in_retry(R"("retry_on": [99])"), kRetry + "/retry_on/0: found \"99\"" + rule},
      {in_retry(R"("retry_on": [""])"), kRetry + "/retry_on/0: found \"\"" + rule},
      {in_retry(R"("retry_on": ["6xx"])"), kRetry + "/retry_on/0: found \"6xx\"" + rule},
  });
}

TEST(ConfigRefusals, Handler) {
  const std::string url_rule = ", expected a URL such as \"http://127.0.0.1:3000/jobs\"";
  const std::string argv_rule =
      ", expected an absolute path and its arguments, such as "
      "[\"/usr/bin/python3\", \"handler.py\"]";
  expect_refused({
      {in_type(R"("handler": "noop")"), kHandler + ": found \"noop\", expected an object"},
      {in_handler(""),
       kHandler + ": found neither \"http\" nor \"exec\", expected only one of them"},
      {in_handler(R"("children": 2)"),
       kHandler + ": found neither \"http\" nor \"exec\", expected only one of them"},
      {in_handler(R"("http": "http://a", "exec": ["/a"])"),
       kHandler + ": found both \"http\" and \"exec\", expected only one of them"},
      {in_handler(R"("http": 1)"), kHandler + "/http: found 1, expected a string"},
      {in_handler(R"("http": "ftp://a")"), kHandler + "/http: found \"ftp://a\"" + url_rule},
      {in_handler(R"("http": "http://")"), kHandler + "/http: found \"http://\"" + url_rule},
      {in_handler(R"("http": "http://a:x/")"),
       kHandler + "/http: found \"http://a:x/\"" + url_rule},
      {in_handler(R"("http": "http://a b")"), kHandler + "/http: found \"http://a b\"" + url_rule},
      {in_handler(R"("http": "http://a", "secret_file": true)"),
       kHandler + "/secret_file: found true, expected a string"},
      {in_handler(R"("http": "http://a", "children": 2)"),
       kHandler + "/children: found it with \"http\", expected it only with \"exec\""},
      {in_handler(R"("exec": "/bin/cat")"),
       kHandler + "/exec: found \"/bin/cat\", expected an array of strings"},
      {in_handler(R"("exec": ["/bin/cat", 1])"), kHandler + "/exec/1: found 1, expected a string"},
      {in_handler(R"("exec": [])"), kHandler + "/exec: found an empty array" + argv_rule},
      {in_handler(R"("exec": ["cat"])"), kHandler + "/exec: found an array" + argv_rule},
      {in_handler(R"("exec": ["/bin/cat"], "children": 0)"),
       kHandler + "/children: found 0, expected a whole number from 1 to 1000"},
      {in_handler(R"("exec": ["/bin/cat"], "secret_file": "/s")"),
       kHandler + "/secret_file: found it with \"exec\", expected it only with \"http\""},
  });
}

TEST(ConfigRefusals, LongValuesAreNotRepeated) {
  expect_refused({{R"({"http": {"listen": ")" + std::string(200, 'x') + "\"}}",
                   "/http/listen: found a string of 200 bytes, expected an address such as "
                   "\"127.0.0.1:8080\""}});
}

}  // namespace
}  // namespace penstock
