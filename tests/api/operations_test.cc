// Limits and pauses over a real connection.
#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Operating = ApiTest;

TEST_F(Operating, LimitsAreListedAsConfiguredAndAsSetWithTheirUse) {
  control.set["limit/webhook/acme"] = R"({"slots":3})";
  source.uses = {{"webhook/acme", "webhook/{account}", 3, 1},
                 {"webhook/bolt", "webhook/{account}", 2, 0},
                 {"other", "other", 9, 9}};
  const json body = body_of(get("/v1/limits"));
  EXPECT_EQ(body, (json{{"limits",
                         {{{"name", "webhook/acme"},
                           {"shared", nullptr},
                           {"configured", nullptr},
                           {"set", {{"slots", 3}}},
                           {"used", 3},
                           {"waiting", 1}},
                          {{"name", "webhook/{account}"},
                           {"shared", false},
                           {"configured", {{"slots", 10}}},
                           {"set", nullptr},
                           {"used", 5},
                           {"waiting", 1}}}}}));
}

TEST_F(Operating, ALimitIsSetByItsNameThoughItHoldsASlash) {
  const auto result =
      client().Put("/v1/limits/webhook/acme", R"({"slots":0,"rate":"5/s","burst":2})", kJson);
  ASSERT_EQ(result->status, 200) << result->body;
  EXPECT_EQ(body_of(result)["name"], "webhook/acme");
  const auto set = parse_limit_override(control.set.at("limit/webhook/acme").value());
  ASSERT_TRUE(set);
  EXPECT_EQ(set->slots, 0);
  EXPECT_EQ(set->burst, 2);
}

TEST_F(Operating, ALimitIsSetByItsNameAsWritten) {
  ASSERT_EQ(client().Put("/v1/limits/webhook/%7Baccount%7D", R"({"slots":4})", kJson)->status, 200);
  EXPECT_TRUE(control.set.contains("limit/webhook/{account}"));
}

TEST_F(Operating, AResetIsATombstone) {
  control.set["limit/webhook/acme"] = R"({"slots":3})";
  ASSERT_EQ(client().Delete("/v1/limits/webhook/acme")->status, 200);
  EXPECT_EQ(control.set.at("limit/webhook/acme"), std::nullopt);
}

TEST_F(Operating, ALimitThatSaysNothingIsRefusedAndNothingIsSet) {
  for (const char* body : {"", "{}", "7", R"({"slots":-1})", R"({"slot":1})", R"({"burst":2})",
                           R"({"rate":"fast"})"}) {
    const auto result = client().Put("/v1/limits/webhook/acme", body, kJson);
    problem_of(result, 422);
  }
  EXPECT_EQ(problem_of(client().Put("/v1/limits/x", R"({"slots":-1})", kJson), 422)["member"],
            "/slots");
  EXPECT_FALSE(problem_of(client().Put("/v1/limits/x", "{}", kJson), 422).contains("member"));
  EXPECT_TRUE(control.set.empty());
}

TEST_F(Operating, AQueueATypeAndAnAccountArePausedAndResumed) {
  ASSERT_EQ(post("/v1/queues/mail/pause?by=ann", "")->status, 200);
  ASSERT_EQ(post("/v1/queues/mail/pause?type=webhook.send", "")->status, 200);
  ASSERT_EQ(post("/v1/queues/mail/pause?account=acme", "")->status, 200);
  EXPECT_THAT(control.set.at("pause/mail").value(), HasSubstr("\"ann\""));
  EXPECT_TRUE(control.set.at("pause/mail/type/webhook.send"));
  EXPECT_TRUE(control.set.at("pause/mail/account/acme"));
  ASSERT_EQ(post("/v1/queues/mail/resume?account=acme", "")->status, 200);
  EXPECT_EQ(control.set.at("pause/mail/account/acme"), std::nullopt);
  EXPECT_TRUE(control.set.at("pause/mail"));
}

TEST_F(Operating, APauseOfNothingThatIsKnownIsRefused) {
  EXPECT_EQ(problem_of(post("/v1/queues/nail/pause", ""), 404)["member"], "queue");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/pause?type=t&account=a", ""), 400)["member"],
            "account");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/pause?tpye=t", ""), 400)["member"], "tpye");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/pause?account=", ""), 400)["member"], "account");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/resume?type=", ""), 400)["member"], "type");
  EXPECT_EQ(problem_of(post("/v1/queues/mail/pause?type=a%2Fb", ""), 400)["member"], "type");
  EXPECT_TRUE(control.set.empty());
}

TEST_F(Operating, PausesAreListed) {
  EXPECT_EQ(body_of(get("/v1/pauses")), (json{{"pauses", json::array()}}));
  ASSERT_EQ(post("/v1/queues/mail/pause?account=acme&by=ann", "")->status, 200);
  ASSERT_EQ(post("/v1/queues/mail/pause", "")->status, 200);
  ASSERT_EQ(post("/v1/queues/mail/resume", "")->status, 200);
  const json pauses = body_of(get("/v1/pauses"))["pauses"];
  ASSERT_EQ(pauses.size(), 1u) << pauses;
  EXPECT_EQ(pauses[0]["queue"], "mail");
  EXPECT_EQ(pauses[0]["type"], nullptr);
  EXPECT_EQ(pauses[0]["account"], "acme");
  EXPECT_EQ(pauses[0]["by"], "ann");
  EXPECT_TRUE(pauses[0]["since"].get<std::string>().ends_with('Z'));
}

TEST_F(Operating, AControlTopicThatDoesNotAnswerIs503AndSaysWhy) {
  control.away = "no answer within 30 s";
  for (const auto& result :
       {get("/v1/limits"), get("/v1/pauses"), client().Put("/v1/limits/x", R"({"slots":1})", kJson),
        post("/v1/queues/mail/resume", "")}) {
    EXPECT_THAT(problem_of(result, 503)["detail"].get<std::string>(), HasSubstr("no answer"));
    EXPECT_EQ(result->get_header_value("Retry-After"), "1");
  }
}

TEST_F(Operating, OtherMethodsAreRefused) {
  problem_of(post("/v1/limits", "{}"), 405);
  problem_of(post("/v1/pauses", "{}"), 405);
  problem_of(get("/v1/pauses/mail"), 404);
  problem_of(get("/v1/limits/webhook/acme"), 405);
  problem_of(get("/v1/queues/mail/pause"), 405);
}

}  // namespace
}  // namespace penstock
