#include "tests/topics/record/decoder_agreement.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <simdjson.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/topics/record/job_documents.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

constexpr std::string_view kKey = "acme";
constexpr int kMutantsPerCase = 100;
constexpr std::size_t kLongestMutated = 4096;

TEST(JobRecord, GetsTheVerdictThatTheSpecDemands) {
  DecoderPair decoders;
  const auto documents = job_documents();
  EXPECT_GE(documents.size(), 150U);
  for (const auto& document : documents) {
    const auto [verdict, member] = decoders.verdict(kKey, document.text);
    EXPECT_EQ(verdict, document.verdict) << excerpt(document.name, 200);
    if (document.verdict == "bad_field") {
      EXPECT_EQ(member, document.member) << excerpt(document.text, 200);
    }
  }
}

TEST(Decoders, AgreeOnTheDocuments) {
  DecoderPair decoders;
  for (const auto& document : job_documents()) {
    const auto differs = decoders.disagreement(kKey, document.text);
    EXPECT_FALSE(differs) << excerpt(document.name, 200) << ": " << *differs;
  }
}

// The code that simdjson would pick on other processors.
TEST(Decoders, AgreeWithEveryImplementationOfTheScanner) {
  const auto* active = simdjson::get_active_implementation().operator->();
  int tried = 0;
  for (const auto* implementation : simdjson::get_available_implementations()) {
    if (!implementation->supported_by_runtime_system()) continue;
    simdjson::get_active_implementation() = implementation;
    DecoderPair decoders;
    for (const auto& document : job_documents()) {
      const auto differs = decoders.disagreement(kKey, document.text);
      EXPECT_FALSE(differs) << implementation->name() << ": " << *differs;
    }
    ++tried;
  }
  simdjson::get_active_implementation() = active;
  EXPECT_GE(tried, 1);
}

TEST(Decoders, AgreeOnKeys) {
  DecoderPair decoders;
  const std::string_view job = R"({"type":"t"})";
  EXPECT_FALSE(decoders.disagreement(std::nullopt, job));
  EXPECT_FALSE(decoders.disagreement(kKey, std::nullopt));
  for (const std::string& key :
       {std::string(), std::string(1, '\0'), std::string(255, 'k'), std::string(256, 'k'),
        std::string("\xff"), std::string("caf\xC3\xA9"), std::string("12345678\xED\xA0\x80"),
        std::string("\xF0\x9F\x98\x80"), std::string("\xF0\x9F\x98")}) {
    EXPECT_FALSE(decoders.disagreement(key, job)) << excerpt(key);
  }
}

// What a careless or hostile sender may put in the place of something else.
const std::vector<std::string>& pieces() {
  static const std::vector<std::string> pieces = {
      "{",        "}",          "[",       "]",        ":",         ",",        "\"",
      "\\",       "\\u",        "\\ud800", "\\udc00",  "\\u0061",   "null",     "true",
      "0",        "-",          "1e400",   "1.5",      "\"type\"",  "\"id\":",  "\"args\":",
      "\"bulk\"", "\"op\":",    " ",       "\n",       "\x0c",      "\xC3",     "\xA9",
      "\xED\xA0", "\"run_at\"", "99999",   "\"meta\"", "\"index\"", "\"size\"", "cancel"};
  return pieces;
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string mutant(const std::vector<JobDocument>& documents) {
    std::string text = pick(documents).text;
    if (text.size() > kLongestMutated) text.resize(kLongestMutated);
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change(text, documents);
    return text;
  }

 private:
  void change(std::string& text, const std::vector<JobDocument>& documents) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(1 + std::min<std::size_t>(8, text.size() - at));
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, pick(pieces()));
        break;
      case 3:
        text.replace(at, length, pick(pieces()));
        break;
      case 4:
        text.insert(below(text.size() + 1), text.substr(at, 2 * length));
        break;
      default:
        splice(text, pick(documents).text);
    }
  }

  // A member of another document, in the place after the opening bracket.
  void splice(std::string& text, const std::string& other) {
    const std::size_t comma = other.rfind(",\"");
    if (text.empty() || comma == std::string::npos || other.size() > kLongestMutated) return;
    const std::size_t end = std::min(other.rfind('}'), other.size());
    if (end > comma) text.insert(1, other.substr(comma + 1, end - comma - 1) + ",");
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  std::mt19937 random_;
};

TEST(Decoders, AgreeOnMutants) {
  DecoderPair decoders;
  const auto documents = job_documents();
  EXPECT_TRUE(rc::check("the decoders agree on what mutation makes", [&](std::uint32_t seed) {
    Mutator mutator(seed);
    for (int i = 0; i < kMutantsPerCase; ++i) {
      const std::string text = mutator.mutant(documents);
      const auto differs = decoders.disagreement(kKey, text);
      if (differs) RC_FAIL(*differs + " for " + text);
    }
  }));
}

// Any JSON value, by its text, as deep as rapidcheck's size lets it be.
rc::Gen<std::string> json_text(int depth) {
  const auto scalar = rc::gen::oneOf(
      rc::gen::elementOf(std::vector<std::string>{"null", "true", "-0", "1e5", "1E-9", "[]", "{}",
                                                  "\"\\u00e9\"", "\"\"", "12345678901234567890"}),
      rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                   [](std::int64_t n) { return std::to_string(n); }),
      rc::gen::map(rc::gen::arbitrary<std::string>(), [](const std::string& text) {
        return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
      }));
  if (depth == 0) return scalar;
  const auto inside = rc::gen::resize(4, rc::gen::container<std::vector<std::string>>(rc::gen::lazy(
                                             [depth] { return json_text(depth - 1); })));
  const auto array = rc::gen::map(inside, [](const std::vector<std::string>& values) {
    std::string text = "[";
    for (const auto& value : values) text += (text.size() > 1 ? "," : "") + value;
    return text + "]";
  });
  const auto object = rc::gen::map(inside, [](const std::vector<std::string>& values) {
    std::string text = "{";
    for (const auto& value : values) {
      text += (text.size() > 1 ? ",\"" : "\"") + std::to_string(text.size() % 7) + "\":" + value;
    }
    return text + "}";
  });
  return rc::gen::oneOf(scalar, array, object);
}

struct MemberExample {
  std::string name;
  std::vector<std::string> good_values;
};

const std::vector<MemberExample>& members() {
  static const std::vector<MemberExample> members = {
      {"type", {"\"t\"", "\"a.b:c\""}},
      {"id", {"\"i\"", "\"\\u0000\""}},
      {"args", {"{}", "[1,{\"a\":null}]"}},
      {"run_at", {"5", "\"2026-03-01T12:00:00.5+01:00\""}},
      {"expires_at", {"-5", "\"2016-12-31T23:59:60Z\""}},
      {"priority", {"-1000", "1000"}},
      {"weight", {"1", "100"}},
      {"bulk",
       {R"({"id":"b","index":1,"size":2})",
        R"({"size":1,"id":"b","on_done":{"type":"t","args":{}},"index":0})"}},
      {"unique_key", {"\"\"", "\"k\""}},
      {"meta", {"{}", "{\"a\":[]}"}},
      {"op", {"\"enqueue\"", "\"cancel\"", "\"reschedule\"", "\"delete\""}},
      {"other", {}}};
  return members;
}

std::string any_member() {
  const auto& member = members()[*rc::gen::inRange<std::size_t>(0, members().size())];
  const bool good = !member.good_values.empty() && *rc::gen::inRange(0, 8) > 0;
  return "\"" + member.name +
         "\":" + (good ? *rc::gen::elementOf(member.good_values) : *json_text(3));
}

TEST(Decoders, AgreeOnAnyValuesOfAnyMembers) {
  DecoderPair decoders;
  EXPECT_TRUE(rc::check("the decoders agree on any values of any members", [&] {
    std::set<std::string> chosen;
    for (int left = *rc::gen::inRange(0, 8); left > 0; --left) chosen.insert(any_member());
    std::string text = *rc::gen::arbitrary<bool>() ? R"("type":"t")" : "";
    for (const auto& member : chosen) text += (text.empty() ? "" : ",") + member;
    text = "{" + text + "}";
    RC_CLASSIFY(decoders.verdict(kKey, text).verdict == "good");
    const auto differs = decoders.disagreement(kKey, text);
    if (differs) RC_FAIL(*differs + " for " + text);
  }));
}

}  // namespace
}  // namespace penstock
