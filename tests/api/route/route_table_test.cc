#include "api/route/route_table.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

using Values = RouteTable::Values;

TEST(RouteTable, AValueIsOnePartOfThePathDecoded) {
  EXPECT_EQ(match_path("/q/{name}", "/q/a%20b"), (Values{{"name", "a b"}}));
  EXPECT_EQ(match_path("/q/{name}", "/q/a%2Fb"), (Values{{"name", "a/b"}}));
  EXPECT_FALSE(match_path("/q/{name}", "/q/"));
  EXPECT_FALSE(match_path("/q/{name}", "/q/a/b"));
  EXPECT_FALSE(match_path("/q/{name}", "/q"));
  EXPECT_FALSE(match_path("/q/{name}", "q/a"));
}

TEST(RouteTable, ARestHasSlashesUpToWhatFollows) {
  EXPECT_EQ(match_path("/jobs/{id*}", "/jobs/a/b%2Fc"), (Values{{"id", "a/b/c"}}));
  EXPECT_EQ(match_path("/jobs/{id*}/cancel", "/jobs/a/cancel/cancel"),
            (Values{{"id", "a/cancel"}}));
  EXPECT_FALSE(match_path("/jobs/{id*}/cancel", "/jobs/cancel"));
}

// Otherwise whoever looks at the path before, such as a proxy, would see another queue.
TEST(RouteTable, AnEncodedSlashSeparatesNothing) {
  EXPECT_FALSE(match_path("/v1/queues/{queue}/jobs", "/v1/queues/mail%2Fjobs"));
  EXPECT_FALSE(match_path("/v1/queues/{queue}", "/v1%2Fqueues/mail"));
}

TEST(RouteTable, APartIsComparedAsSent) {
  EXPECT_TRUE(match_path("/v1/queues", "/v1/queues"));
  EXPECT_FALSE(match_path("/v1/queues", "/v1/%71ueues"));
  EXPECT_FALSE(match_path("/v1/queues", "/v1/queues/"));
  EXPECT_FALSE(match_path("/v1/queues", "//v1/queues"));
}

struct Table : testing::Test {
  RouteTable table;
  Table() {
    const auto named = [](const char* name) {
      return [name](const ApiRequest& request) {
        return ApiReply{.status = 200, .type = kJson, .body = name + request.value("id")};
      };
    };
    table.add({"GET", "/jobs/{id*}", Scope::kRead, "get", "", {"account"}}, named("get "));
    table.add({"DELETE", "/jobs/{id*}", Scope::kOperate, "delete", ""}, named("delete "));
    table.add({"POST", "/jobs/{id*}/cancel", Scope::kOperate, "cancel", ""}, named("cancel "));
  }
  ApiReply ask(const char* method, const char* path,
               std::multimap<std::string, std::string> parameters = {}) {
    ApiRequest request;
    request.method = method;
    request.path = path;
    request.parameters = std::move(parameters);
    return table.answer(std::move(request));
  }
};

TEST_F(Table, TheMethodChoosesAmongRoutesOfOnePath) {
  EXPECT_EQ(ask("GET", "/jobs/a/cancel").body, "get a/cancel");
  EXPECT_EQ(ask("HEAD", "/jobs/a").body, "get a");
  EXPECT_EQ(ask("POST", "/jobs/a/cancel").body, "cancel a");
}

TEST_F(Table, AWrongMethodIsToldTheRightOnes) {
  const ApiReply reply = ask("PUT", "/jobs/a/cancel");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.headers.at("Allow"), "GET, DELETE, POST");
  EXPECT_EQ(ask("PUT", "/nothing").status, 404);
}

TEST_F(Table, AnUnknownOrRepeatedParameterIsRefused) {
  EXPECT_EQ(ask("GET", "/jobs/a", {{"account", "acme"}}).status, 200);
  EXPECT_EQ(ask("GET", "/jobs/a", {{"acount", "acme"}}).status, 400);
  EXPECT_EQ(ask("GET", "/jobs/a", {{"account", "acme"}, {"account", "bolt"}}).status, 400);
}

}  // namespace
}  // namespace penstock
