// Files of tokens: what they may contain, and what a token allows.
#include "api/server/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penstock {
namespace {

using testing::HasSubstr;

// printf %s secret | sha256sum
constexpr const char* kHashOfSecret =
    "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

std::string token(const std::string& more = "") {
  return R"({"name":"ci","hash":"sha256:)" + std::string(kHashOfSecret) +
         R"(","scopes":["produce"])" + more + "}";
}

std::string fault_of(const std::string& text) {
  const auto tokens = AccessTokens::parse(text);
  return tokens ? "none" : tokens.error().message;
}

TEST(Tokens, AFileIsAnArrayOrAnObjectWithOne) {
  for (const std::string& text : {"[" + token() + "]", R"({"tokens":[)" + token() + "]}"}) {
    const auto tokens = AccessTokens::parse(text);
    ASSERT_TRUE(tokens) << tokens.error().message;
    ASSERT_NE(tokens->find("secret"), nullptr);
    EXPECT_EQ(tokens->find("secret")->name, "ci");
    EXPECT_EQ(tokens->find("Secret"), nullptr);
    EXPECT_EQ(tokens->find(""), nullptr);
  }
}

TEST(Tokens, AHashNeedsNoPrefix) {
  const auto tokens = AccessTokens::parse(R"([{"name":"a","hash":")" + std::string(kHashOfSecret) +
                                          R"(","scopes":["read"]}])");
  ASSERT_TRUE(tokens) << tokens.error().message;
  EXPECT_NE(tokens->find("secret"), nullptr);
}

TEST(Tokens, AScopeAllowsItselfOnly) {
  AccessToken reader{.name = "r", .hash = {}, .reads = true};
  EXPECT_TRUE(reader.allows(Scope::kOpen));
  EXPECT_TRUE(reader.allows(Scope::kRead));
  EXPECT_TRUE(reader.allows(Scope::kMetrics));
  EXPECT_FALSE(reader.allows(Scope::kProduce));
  EXPECT_FALSE(reader.allows(Scope::kOperate));
  AccessToken producer{.name = "p", .hash = {}, .produces = true};
  EXPECT_FALSE(producer.allows(Scope::kRead));
  EXPECT_TRUE(producer.allows(Scope::kProduce));
}

TEST(Tokens, ATokenWithQueuesIsForTheseOnly) {
  const auto tokens = AccessTokens::parse("[" + token(R"(,"queues":["mail"])") + "]");
  ASSERT_TRUE(tokens) << tokens.error().message;
  const AccessToken* const bound = tokens->find("secret");
  ASSERT_NE(bound, nullptr);
  EXPECT_TRUE(bound->allows_queue("mail"));
  EXPECT_FALSE(bound->allows_queue("crm"));
  EXPECT_FALSE(bound->allows_queue(""));
}

TEST(Tokens, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_THAT(fault_of("7"), HasSubstr("expected an array of tokens"));
  EXPECT_THAT(fault_of("[7]"), HasSubstr("/0: expected an object"));
  EXPECT_THAT(fault_of("[{}]"), HasSubstr("\"name\" is missing"));
  EXPECT_THAT(fault_of("[" + token(R"(,"scope":["read"])") + "]"), HasSubstr("/0/scope: unknown"));
  EXPECT_THAT(fault_of("[" + token(R"(,"queues":[])") + "]"), HasSubstr("/0/queues"));
  EXPECT_THAT(fault_of(R"([{"name":"a","hash":"12","scopes":["read"]}])"), HasSubstr("/0/hash"));
  EXPECT_THAT(fault_of(R"([{"name":"a","hash":")" + std::string(kHashOfSecret) +
                       R"(","scopes":["admin"]}])"),
              HasSubstr("found the scope \"admin\""));
  EXPECT_THAT(fault_of(R"([{"name":"a","name":"b"}])"), HasSubstr("/0/name"));
}

TEST(Tokens, ANameAndATokenAreUsedOnce) {
  EXPECT_THAT(fault_of("[" + token() + "," + token() + "]"), HasSubstr("another token is named"));
  std::string other = token();
  other.replace(other.find("ci"), 2, "cd");
  EXPECT_THAT(fault_of("[" + token() + "," + other + "]"), HasSubstr("are the same token"));
}

}  // namespace
}  // namespace penstock
