// Replays over HTTP, on a simulated log, without a connection.
#include "api/routes/replays.h"

#include <gmock/gmock.h>

#include "tests/consumer/operate/replay_stage.h"

namespace penstock {
namespace {

using nlohmann::json;

struct ReplaysOverHttp : testing::Test {
  ReplayStage stage;
  ReplayRoutes routes{[this] { return stage.desk(); }};
  RouteTable table;

  ReplaysOverHttp() {
    stage.jobs(0, "acme", 3);
    routes.add_to(table);
  }

  ApiReply ask(const std::string& method, const std::string& rest, const std::string& body = {},
               std::multimap<std::string, std::string> parameters = {}) {
    return table.answer({.method = method,
                         .path = "/v1/queues/" + queue + "/replays" + rest,
                         .parameters = std::move(parameters),
                         .content_type = kJson,
                         .body = body});
  }
  ApiReply start(const std::string& body) { return ask("POST", "", body); }
  ApiReply count(const std::string& body) { return ask("POST", "", body, {{"dry_run", "true"}}); }
  std::string queue = "mail";
};

json json_of(const ApiReply& reply) { return json::parse(reply.body); }
// The member at fault of a problem with this status.
std::string fault_of(const ApiReply& reply, int status) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(reply.type, kProblemJson);
  return json_of(reply).value("member", "");
}

TEST_F(ReplaysOverHttp, AStartIs201ThenTheSame200AndOthers409) {
  const ApiReply made = start(R"({"id":"r","types":["send"]})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(json_of(made)["id"], "r");
  EXPECT_EQ(json_of(made)["records"], 3);
  EXPECT_EQ(json_of(made)["started_by"], "HTTP");
  EXPECT_EQ(start(R"({"types":["send"],"id":"r"})").status, 200);
  fault_of(start(R"({"id":"r"})"), 409);
}

TEST_F(ReplaysOverHttp, ABodyIsReadAsStrictlyAsAJobRecord) {
  EXPECT_EQ(fault_of(start(R"({"id":"r","rate":"1/s","rate":"9/s"})"), 422), "/rate");
  fault_of(start(""), 422);
  fault_of(count(""), 422);
  fault_of(start(R"({"id":"r",})"), 422);
  fault_of(start("{\"id\":\"\xff\"}"), 422);
  fault_of(table.answer({.method = "POST",
                         .path = "/v1/queues/mail/replays",
                         .parameters = {},
                         .content_type = "text/plain",
                         .body = R"({"id":"r"})"}),
           415);
}

TEST_F(ReplaysOverHttp, TheMemberAtFaultIsNamed) {
  EXPECT_EQ(fault_of(start("[]"), 422), "");
  EXPECT_EQ(fault_of(start("{}"), 422), "/id");
  EXPECT_EQ(fault_of(start(R"({"id":7})"), 422), "/id");
  EXPECT_EQ(fault_of(start(R"({"id":"a/b"})"), 422), "/id");
  EXPECT_EQ(fault_of(start(R"({"id":"r","rate":"often"})"), 422), "/rate");
  EXPECT_EQ(fault_of(start(R"({"id":"r","typo":1})"), 422), "/typo");
  EXPECT_EQ(fault_of(start(R"({"id":"r","to_queue":"none"})"), 422), "/to_queue");
  EXPECT_EQ(fault_of(start(R"({"id":"r","offsets":{"9":[0,1]}})"), 422), "/offsets");
  EXPECT_EQ(fault_of(start(R"({"id":"r","reasons":["crashed"]})"), 422), "/reasons");
  EXPECT_EQ(stage.told(), 0);
}

TEST_F(ReplaysOverHttp, ABodyThatIsTooDeepIsRefused) {
  constexpr std::size_t kDeep = 400'000;
  const std::string body =
      R"({"id":"r","from":)" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}";
  EXPECT_THAT(fault_of(start(body), 422), testing::StartsWith("/from/0"));
}

TEST_F(ReplaysOverHttp, AProgramIsNotNamedByAClient) {
  EXPECT_EQ(fault_of(start(R"({"id":"r","through":["/bin/sh","-c","id"]})"), 422), "/through");
  EXPECT_EQ(fault_of(count(R"({"through":["/bin/cat"]})"), 422), "/through");
}

TEST_F(ReplaysOverHttp, UnknownQueuesReplaysAndPathsAre404) {
  EXPECT_EQ(fault_of(ask("GET", "/r"), 404), "id");
  EXPECT_EQ(fault_of(ask("POST", "/r/pause"), 404), "id");
  EXPECT_EQ(fault_of(ask("DELETE", "/r"), 404), "id");
  fault_of(ask("POST", "/r/stop"), 404);
  queue = "male";
  EXPECT_EQ(fault_of(ask("GET", ""), 404), "queue");
  EXPECT_EQ(fault_of(start(R"({"id":"r"})"), 404), "queue");
  EXPECT_EQ(fault_of(count("{}"), 404), "queue");
}

TEST_F(ReplaysOverHttp, OtherMethodsAndParametersAreRefused) {
  EXPECT_EQ(ask("PUT", "").headers.at("Allow"), "GET, POST");
  EXPECT_EQ(ask("PUT", "/r").headers.at("Allow"), "GET, DELETE");
  EXPECT_EQ(ask("GET", "/r/pause").headers.at("Allow"), "POST");
  EXPECT_EQ(fault_of(ask("GET", "", "", {{"limit", "1"}}), 400), "limit");
  EXPECT_EQ(fault_of(ask("POST", "", R"({"id":"r"})", {{"dry_run", "yes"}}), 400), "dry_run");
}

TEST_F(ReplaysOverHttp, AReplayIsPausedResumedCancelledAndDeleted) {
  ASSERT_EQ(start(R"({"id":"r"})").status, 201);
  const ApiReply paused = ask("POST", "/r/pause", "", {{"by", "ann"}});
  EXPECT_EQ(paused.status, 200);
  EXPECT_EQ(json_of(paused)["state"], "paused");
  EXPECT_EQ(json_of(ask("POST", "/r/resume"))["state"], "running");
  fault_of(ask("DELETE", "/r"), 409);
  EXPECT_EQ(json_of(ask("POST", "/r/cancel"))["state"], "cancelled");
  fault_of(ask("POST", "/r/resume"), 409);
  EXPECT_EQ(ask("DELETE", "/r").status, 200);
  EXPECT_EQ(json_of(ask("GET", ""))["replays"].size(), 0u);
}

TEST_F(ReplaysOverHttp, OneReplayHasItsPartitionsAListHasNot) {
  ASSERT_EQ(start(R"({"id":"r"})").status, 201);
  EXPECT_EQ(json_of(ask("GET", "/r"))["partitions"].size(), 2u);
  const json list = json_of(ask("GET", ""));
  ASSERT_EQ(list["replays"].size(), 1u);
  EXPECT_EQ(list["replays"][0]["id"], "r");
  EXPECT_FALSE(list["replays"][0].contains("partitions"));
}

TEST_F(ReplaysOverHttp, ADryRunCountsAndStartsNothing) {
  const ApiReply reply = count(R"({"where":{"/n":1}})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(json_of(reply)["copies"], 1);
  EXPECT_EQ(json_of(reply)["samples"][0]["id"], "acme-1");
  EXPECT_EQ(stage.told(), 0);
}

TEST_F(ReplaysOverHttp, ADryRunEndsWhenTheServerStops) {
  routes.stop();
  EXPECT_EQ(count("{}").status, 503);
}

// Those that make dry runs ask for their desk first.
TEST(ReplayDryRunsOverHttp, OnlySoManyAreMadeAtOnce) {
  ReplayStage stage;
  const ApiRequest request{.method = "POST",
                           .path = "/v1/queues/mail/replays",
                           .parameters = {{"dry_run", "true"}},
                           .content_type = kJson,
                           .body = "{}"};
  int depth = 0;
  ApiReply last;
  RouteTable own;
  ReplayRoutes nested([&] {
    ++depth;
    const ApiReply inner = own.answer(request);
    if (last.body.empty()) last = inner;
    return stage.desk();
  });
  nested.add_to(own);
  EXPECT_EQ(own.answer(request).status, 200);
  EXPECT_EQ(depth, ReplayRoutes::kMaxDryRuns);
  EXPECT_EQ(last.status, 503);
  EXPECT_TRUE(last.headers.contains("Retry-After"));
}

}  // namespace
}  // namespace penstock
