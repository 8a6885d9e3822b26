#include "consumer/job/job_keys.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace penstock {
namespace {

using Json = nlohmann::json;

std::string canonical(std::string_view text) {
  JsonTree tree;
  tree.parse(text);
  std::string out;
  append_canonical(out, tree.root());
  return out;
}

// -- Canonical JSON

TEST(JsonTree, EqualNumbersHaveOneForm) {
  for (const auto* one : {"1", "1.0", "1e0", "10e-1", "0.1e1", "0.0001E+4", "1.000"}) {
    EXPECT_EQ(canonical(one), "1") << one;
  }
  for (const auto* zero : {"0", "-0", "0.0", "-0.0e7", "0e-5", "0e99999999999999999999"}) {
    EXPECT_EQ(canonical(zero), "0") << zero;
  }
  EXPECT_EQ(canonical("1.5"), "15e-1");
  EXPECT_EQ(canonical("-1500"), "-1500");
  EXPECT_EQ(canonical("-0.25e1"), "-25e-1");
  EXPECT_EQ(canonical("1e20"), "100000000000000000000");
  EXPECT_EQ(canonical("1e21"), "1e21");
  EXPECT_EQ(canonical("1000000000000000000000.0"), "1e21");
  EXPECT_EQ(canonical("1e-99999999999999999999"), "1e-1000000000000000");
}

TEST(JsonTree, NoNumberIsRounded) {
  EXPECT_NE(canonical("9007199254740993"), canonical("9007199254740992"));
  EXPECT_NE(canonical("0.1"), canonical("0.10000000000000000001"));
  EXPECT_EQ(canonical("18446744073709551616.5"), "184467440737095516165e-1");
  EXPECT_EQ(canonical("1234567890123456789012"), "1234567890123456789012e0");
}

TEST(JsonTree, MembersAreSortedAndTextsUnescaped) {
  EXPECT_EQ(canonical(R"( { "b" : [ 1 , { } , [ ] ] , "\u0061" : "\u00e9\/" , "" : null } )"),
            R"({"":null,"a":"é/","b":[1,{},[]]})");
  EXPECT_EQ(canonical(R"("\u0000\u001f\"\\\n")"), R"("\u0000\u001f\"\\\u000a")");
  EXPECT_EQ(canonical("[true,false,null]"), "[true,false,null]");
}

rc::Gen<Json> scalars() {
  return rc::gen::oneOf(
      rc::gen::map(rc::gen::inRange(-3, 4), [](int n) { return Json(n); }),
      rc::gen::map(rc::gen::inRange(-3, 4), [](int n) { return Json(n / 2.0); }),
      rc::gen::map(rc::gen::element<std::string>("", "a", "b\n", "\"", "1", "null"),
                   [](std::string s) { return Json(std::move(s)); }),
      rc::gen::element(Json(nullptr), Json(true), Json(false)));
}

Json value_of(int depth) {
  const int kind = depth == 0 ? 0 : *rc::gen::inRange(0, 3);
  if (kind == 0) return *scalars();
  Json value = kind == 1 ? Json::array() : Json::object();
  const int size = *rc::gen::inRange(0, 3);
  for (int i = 0; i < size; ++i) {
    if (kind == 1) value.push_back(value_of(depth - 1));
    if (kind == 2) value[*rc::gen::element<std::string>("a", "b", "c")] = value_of(depth - 1);
  }
  return value;
}

RC_GTEST_PROP(JsonTree, TextsAreEqualJustWhenTheirValuesAre, ()) {
  const Json a = value_of(3), b = value_of(3);
  RC_ASSERT((canonical(a.dump()) == canonical(b.dump())) == (a == b));
}

// The same value, written another way: other order, white space, escapes and numbers.
std::string written(const Json& value) {
  if (value.is_number()) {
    return value.dump() + (value.is_number_integer() ? ".00e0" : "0e+00");
  }
  if (value.is_string()) {
    std::string text = "\"";
    for (const char c : value.get<std::string>()) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      text += escape;
    }
    return text + '"';
  }
  if (!value.is_structured()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& [name, item] : value.items()) {
    parts.push_back(value.is_array() ? written(item) : "\"" + name + "\" : " + written(item));
  }
  if (value.is_object()) std::reverse(parts.begin(), parts.end());
  std::string text = value.is_array() ? "[ " : "{ ";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? " ,\n" : "") + parts[i];
  return text + (value.is_array() ? " ]" : " }");
}

RC_GTEST_PROP(JsonTree, TheWayAValueIsWrittenMakesNoDifference, ()) {
  const Json value = value_of(3);
  RC_ASSERT(canonical(written(value)) == canonical(value.dump()));
}

RC_GTEST_PROP(JsonTree, ACanonicalTextIsJsonThatMeansTheSame, ()) {
  const Json value = value_of(3);
  RC_ASSERT(Json::parse(canonical(value.dump())) == value);
  RC_ASSERT(canonical(canonical(value.dump())) == canonical(value.dump()));
}

TEST(JsonTree, PointersLeadWhereRfc6901Says) {
  JsonTree tree;
  tree.parse(R"({"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"o":{"x":{"y":7}}})");
  const auto at = [&tree](std::string_view pointer) {
    const JsonTree::Node* node = tree.find(*parse_json_pointer(pointer));
    std::string text = node == nullptr ? "(none)" : "";
    if (node != nullptr) append_canonical(text, *node);
    return text;
  };
  EXPECT_EQ(at("/foo"), R"(["bar","baz"])");
  EXPECT_EQ(at("/foo/0"), R"("bar")");
  EXPECT_EQ(at("/foo/1"), R"("baz")");
  EXPECT_EQ(at("/"), "0");
  EXPECT_EQ(at("/a~1b"), "1");
  EXPECT_EQ(at("/m~0n"), "8");
  EXPECT_EQ(at("/o/x/y"), "7");
  EXPECT_EQ(at("").substr(0, 4), R"({"":)");
  for (const auto* none : {"/fo", "/foo/2", "/foo/00", "/foo/01", "/foo/-", "/foo/", "/foo/0/0",
                           "/foo/bar", "/o/x/y/z", "/foo/18446744073709551616"}) {
    EXPECT_EQ(at(none), "(none)") << none;
  }
}

TEST(JsonPointers, AreCheckedWhenTheyAreRead) {
  for (const auto* bad : {"a", "/~", "/~2", "/a~", "/~01/~"}) {
    EXPECT_FALSE(parse_json_pointer(bad)) << bad;
  }
  EXPECT_EQ(parse_json_pointer("/~01")->tokens, (std::vector<std::string>{"~1"}));
  EXPECT_TRUE(parse_json_pointer("")->tokens.empty());
  EXPECT_EQ(parse_json_pointer("//")->tokens, (std::vector<std::string>{"", ""}));
  EXPECT_TRUE(parse_json_pointer(std::string(kMaxPointerBytes, '/')));
  EXPECT_FALSE(parse_json_pointer(std::string(kMaxPointerBytes + 1, '/')));
}

// -- Unique keys

struct Keying : testing::Test {
  JobKeys keys;
  JobRecord record;

  Keying() {
    record.account = "acme";
    record.type = "webhook.send";
    record.args = "{}";
  }
  static UniquePolicy by(const std::vector<std::string>& pointers) {
    UniquePolicy policy;
    for (const std::string& pointer : pointers) policy.by.push_back(*parse_json_pointer(pointer));
    return policy;
  }
  std::string unique(const UniquePolicy& policy, std::string_view args) {
    record.args = args;
    keys.of("mail", record);
    return keys.unique_key(policy);
  }
  std::string limit(std::string_view name, std::string_view args = "{}") {
    record.args = args;
    keys.of("mail", record);
    return keys.limit_name(*parse_limit_name(name));
  }
};

TEST_F(Keying, AllArgumentsCountWithoutBy) {
  EXPECT_EQ(unique({}, R"({"b":1,"a":2})"),
            R"(["mail","acme","webhook.send",{"args":{"a":2,"b":1}}])");
  EXPECT_EQ(unique({}, R"({"b":1,"a":2})"), unique({}, R"({ "a": 2.0, "b": 1 })"));
  EXPECT_NE(unique({}, R"({"b":1})"), unique({}, R"({"b":2})"));
}

TEST_F(Keying, WithByOnlyWhatItNamesCounts) {
  const UniquePolicy policy = by({"/segment_id", "/list/0"});
  EXPECT_EQ(unique(policy, R"({"segment_id":7,"list":["x"],"other":1})"),
            R"(["mail","acme","webhook.send",{"by":{"/list/0":"x","/segment_id":7}}])");
  EXPECT_EQ(unique(policy, R"({"segment_id":7,"list":["x"],"other":1})"),
            unique(by({"/list/0", "/segment_id"}), R"({"list":["x","y"],"segment_id":7e0})"));
}

TEST_F(Keying, AMissingValueIsNoNull) {
  const UniquePolicy policy = by({"/a"});
  const std::string missing = unique(policy, "{}");
  EXPECT_EQ(missing, R"(["mail","acme","webhook.send",{"by":{"/a":missing}}])");
  EXPECT_NE(missing, unique(policy, R"({"a":null})"));
  EXPECT_NE(missing, unique(policy, R"({"a":"missing"})"));
  EXPECT_EQ(missing, unique(policy, R"("no object")"));
}

TEST_F(Keying, QueueAccountAndTypeAreAlwaysPartOfIt) {
  std::vector<std::string> all;
  for (const auto* queue : {"mail", "sms"}) {
    for (const auto* account : {"acme", "bolt\",\""}) {
      for (const auto* type : {"a", "b"}) {
        record.account = account;
        record.type = type;
        keys.of(queue, record);
        all.push_back(keys.unique_key({}));
      }
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST_F(Keying, TheRecordsOwnKeyOverridesThePolicy) {
  record.unique_key = "order \"7\"";
  const std::string own = unique(by({"/a"}), R"({"a":1})");
  EXPECT_EQ(own, R"(["mail","acme","webhook.send",{"key":"order \"7\""}])");
  EXPECT_EQ(own, unique({}, R"({"a":2})"));
  record.unique_key = "{}";
  const std::string braces = unique({}, "{}");
  record.unique_key.reset();
  EXPECT_NE(braces, unique({}, "{}"));
}

TEST_F(Keying, AKeyIsOfTheLatestJob) {
  EXPECT_NE(unique({}, R"({"a":1})"), unique({}, R"({"a":2})"));
  const auto digest = [&](const char* args) { return unique_digest("acme", unique({}, args)); };
  EXPECT_NE(digest(R"({"a":1})"), digest(R"({"a":2})"));
  EXPECT_EQ(digest(R"({"a":1})"), digest(R"({"a":1.0})"));
  EXPECT_EQ(digest(R"({"a":1})").account(), account_hash("acme"));
}

RC_GTEST_FIXTURE_PROP(Keying, KeysAreEqualJustWhenTheValuesAtByAre, ()) {
  const Json a = value_of(2), b = value_of(2);
  const std::vector<std::string> pointers{"/a", "/b/c", "/0"};
  bool same = true;
  for (const std::string& text : pointers) {
    const Json::json_pointer pointer(text);
    const auto at = [&pointer](const Json& args) {
      try {
        return args.contains(pointer) ? std::optional(args.at(pointer)) : std::nullopt;
      } catch (const Json::exception&) {
        return std::optional<Json>();
      }
    };
    same = same && at(a) == at(b);
  }
  RC_ASSERT((unique(by(pointers), a.dump()) == unique(by(pointers), b.dump())) == same);
}

// -- Names of limits

TEST_F(Keying, PlaceholdersAreFilledIn) {
  EXPECT_EQ(limit("crm"), "crm");
  EXPECT_EQ(limit("{queue}/{type}/{account}!"), "mail/webhook.send/acme!");
  const std::string args = R"({"s":"a b/é","n":1.50,"t":true,"o":{"y":1,"x":[]},"z":null})";
  EXPECT_EQ(limit("{args/s}", args), "a b/é");
  EXPECT_EQ(limit("{args/n}", args), "15e-1");
  EXPECT_EQ(limit("{args/t}-{args/z}", args), "true-null");
  EXPECT_EQ(limit("{args/o}", args), R"({"x":[],"y":1})");
}

TEST_F(Keying, AMissingArgumentIsNullInAName) {
  EXPECT_EQ(limit("crm/{args/region}"), "crm/null");
  EXPECT_EQ(limit("crm/{args/region}", R"({"region":null})"), "crm/null");
}

TEST_F(Keying, ALongNameIsCutAndStaysDifferent) {
  const auto name_of = [this](const std::string& text) {
    return limit("crm/{args/x}", R"({"x":")" + text + "\"}");
  };
  EXPECT_EQ(name_of(std::string(kMaxFilledNameBytes - 4, 'x')).size(), kMaxFilledNameBytes);
  EXPECT_EQ(name_of(std::string(kMaxFilledNameBytes - 4, 'x')).find('#'), std::string::npos);
  const std::string one = name_of(std::string(100'000, 'x'));
  const std::string other = name_of(std::string(100'001, 'x'));
  EXPECT_EQ(one.size(), kMaxFilledNameBytes);
  EXPECT_NE(one, other);
  EXPECT_EQ(one.substr(0, kMaxFilledNameBytes - 33), other.substr(0, kMaxFilledNameBytes - 33));
  EXPECT_EQ(one[kMaxFilledNameBytes - 33], '#');
  std::string wide;
  for (int i = 0; i < 1'000; ++i) wide += "é";
  const std::string cut = name_of(wide);
  EXPECT_EQ(cut[cut.size() - 34], '\xa9') << "a character was cut in half";
}

TEST_F(Keying, TheDeepestArgumentsAreRead) {
  const std::string deep = std::string(60, '[') + std::string(60, ']');
  EXPECT_EQ(unique({}, deep), R"(["mail","acme","webhook.send",{"args":)" + deep + "}]");
  std::string wide = "{";
  for (int i = 0; i < 10'000; ++i) wide += "\"\\u0061" + std::to_string(i) + "\":\"\\n\",";
  EXPECT_EQ(limit("{args/last}", wide + "\"last\":1}"), "1");
}

}  // namespace
}  // namespace penstock
