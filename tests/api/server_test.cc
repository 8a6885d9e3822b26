// The server over a real connection: health, who may ask, sizes, and how it stops.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/server/access.h"
#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using testing::HasSubstr;

struct TokenFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("penstock-token-" + std::to_string(::getpid())));
  explicit TokenFile(const std::string& text) { std::ofstream(path) << text; }
  ~TokenFile() { std::filesystem::remove(path); }
};

using Http = ApiTest;

TEST_F(Http, HealthIsYesBeforeTheWorkerIsReady) {
  source.reason = "no broker can be reached";
  EXPECT_EQ(get("/healthz")->status, 200);
  EXPECT_EQ(problem_of(get("/readyz"), 503)["detail"], "no broker can be reached");
  source.reason.clear();
  EXPECT_EQ(get("/readyz")->status, 200);
}

TEST_F(Http, HealthIsNoWhenALoopStandsStill) {
  source.standstill = "a loop has stood still for 31 s";
  EXPECT_EQ(problem_of(get("/healthz"), 503)["detail"], "a loop has stood still for 31 s");
}

TEST_F(Http, MetricsAreInPrometheusText) {
  const auto result = get("/metrics");
  ASSERT_EQ(result->status, 200);
  EXPECT_THAT(result->get_header_value("Content-Type"), HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(result->body, HasSubstr("penstock_build_info{version=\"1.2.3\"} 1"));
}

TEST_F(Http, AnUnknownPathAndAWrongMethodAreProblems) {
  problem_of(get("/v2"), 404);
  problem_of(get("/v1/queues/"), 404);
  problem_of(get("/v1/queues/mail/nothing"), 404);
  problem_of(post("/v2", "{}"), 404);
  const auto result = post("/v1/queues", "{}");
  EXPECT_THAT(problem_of(result, 405)["detail"].get<std::string>(), HasSubstr("GET"));
  EXPECT_EQ(result->get_header_value("Allow"), "GET");
  problem_of(client().Delete("/v1/queues/mail/jobs"), 405);
  problem_of(client().Put("/v1/queues/mail/jobs/a/cancel", "", "text/plain"), 405);
}

// What comes back for these bytes.
std::string exchange(int port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 &&
      ::send(socket, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size())) {
    char bytes[4096];
    for (ssize_t got = 0; (got = ::recv(socket, bytes, sizeof bytes, 0)) > 0;)
      answer.append(bytes, static_cast<std::size_t>(got));
  }
  ::close(socket);
  return answer;
}

TEST_F(Http, APostWithoutALengthHasNoBody) {
  ASSERT_EQ(get("/healthz")->status, 200);
  const std::string answer = exchange(server->port(),
                                      "POST /v1/queues/mail/pause?account=acme HTTP/1.1\r\n"
                                      "Host: 127.0.0.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, testing::StartsWith("HTTP/1.1 200"));
  EXPECT_TRUE(control.set.contains("pause/mail/account/acme"));
}

TEST_F(Http, AFormIsNoBody) {
  const char* const form = "application/x-www-form-urlencoded";  // as curl -d sends it by itself
  const auto result = client().Put("/v1/limits/crm", R"({"slots":0})", form);
  EXPECT_THAT(problem_of(result, 415)["detail"].get<std::string>(),
              HasSubstr("Content-Type: application/json"));
  EXPECT_EQ(post("/v1/queues/mail/pause", "", form)->status, 200);
}

TEST_F(Http, ABodyAboveTheMaximumIsRefused) {
  problem_of(post("/v1/queues/mail/jobs", std::string(Server::kMaxBodyBytes + 1, ' ')), 413);
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(Http, APathAboveTheMaximumIsRefusedAndTheLongestIsNot) {
  const std::string longest =
      "/v1/queues/mail/jobs/" + std::string(Server::kMaxPathBytes - 28, 'a');
  problem_of(post(longest + "/cancel", ""), 404);
  problem_of(get("/v1/queues/mail/jobs/" + std::string(4000, 'a')), 414);
}

TEST_F(Http, APackedBodyIsRefused) {
  auto to = client();
  problem_of(
      to.Post("/v1/queues/mail/jobs", {{"Content-Encoding", "gzip"}}, "x", "application/json"),
      415);
}

TEST_F(Http, APublicAddressWithoutATokenIsRefusedAtStart) {
  for (const char* address : {"0.0.0.0:0", "192.0.2.7:8080", "[::]:0"}) {
    http.listen = address;
    const auto started = Server::start(http, routes);
    ASSERT_FALSE(started) << address;
    EXPECT_THAT(started.error().message, HasSubstr("/http/token_file"));
  }
}

TEST_F(Http, AnEmptyOrMissingTokenFileIsRefusedAtStart) {
  const TokenFile empty("\nsecond line");
  for (const std::string& path : {empty.path, std::string("/does/not/exist")}) {
    http.token_file = path;
    const auto started = Server::start(http, routes);
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr(path));
  }
}

TEST_F(Http, AnAddressThatIsTakenIsRefusedAtStart) {
  (void)client();
  http.listen = "127.0.0.1:" + std::to_string(server->port());
  const auto second = Server::start(http, routes);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(http.listen));
}

TEST_F(Http, WithATokenEverythingNeedsItButHealthReadinessAndMetrics) {
  const TokenFile token("secret\r\nnot this line\n");
  http.token_file = token.path;
  auto to = client();
  for (const char* open : {"/healthz", "/readyz", "/metrics"})
    EXPECT_EQ(to.Get(open)->status, 200) << open;
  const auto refused = to.Get("/v1/queues");
  problem_of(refused, 401);
  EXPECT_EQ(refused->get_header_value("WWW-Authenticate"), "Bearer");
  problem_of(post("/v1/queues/mail/jobs", "{}"), 401);
  for (const char* wrong :
       {"Bearer secre", "Bearer secrets", "Bearer ", "secret", "Basic secret"}) {
    problem_of(client().Get("/v1/queues", {{"Authorization", wrong}}), 401);
  }
  EXPECT_EQ(client().Get("/v1/queues", {{"Authorization", "Bearer secret"}})->status, 200);
}

TEST_F(Http, MetricsNeedTheTokenWhenTheyAreNotOpen) {
  const TokenFile token("secret");
  http.token_file = token.path;
  http.open_metrics = false;
  problem_of(get("/metrics"), 401);
  EXPECT_EQ(get("/healthz")->status, 200);
}

TEST_F(Http, WithoutATokenABrowserCannotBeMadeToAskForOthers) {
  problem_of(client().Get("/v1/queues", {{"Host", "evil.example:8080"}}), 403);
  problem_of(client().Get("/v1/queues", {{"Origin", "http://evil.example"}}), 403);
  EXPECT_EQ(client().Get("/v1/queues", {{"Host", "localhost"}})->status, 200);
  EXPECT_EQ(client().Get("/v1/queues", {{"Host", "[::1]:8080"}})->status, 200);
  const std::string own = "127.0.0.1:" + std::to_string(server->port());
  EXPECT_EQ(client().Get("/v1/queues", {{"Origin", "http://" + own}})->status, 200);
}

TEST_F(Http, ManyConnectionsAtOnceAreAllAnswered) {
  (void)client();
  std::vector<std::jthread> askers;
  std::atomic<int> answered{0};
  for (int i = 0; i < 40; ++i) {
    askers.emplace_back([this, &answered] {
      httplib::Client own("127.0.0.1", server->port());
      if (const auto result = own.Get("/healthz"); result && result->status == 200) ++answered;
    });
  }
  askers.clear();
  EXPECT_EQ(answered.load(), 40);
}

TEST_F(Http, AStopEndsARequestThatWaitsForKafka) {
  sink.silent = true;
  (void)client();
  const int port = server->port();
  std::optional<httplib::Result> result;
  std::jthread asker([&] {
    httplib::Client own("127.0.0.1", port);
    result.emplace(own.Post("/v1/queues/mail/jobs", R"({"type":"send","account":"acme"})",
                            "application/json"));
  });
  const auto sent = [this] {
    const std::lock_guard lock(sink.mutex);
    return !sink.records.empty();
  };
  while (!sent()) std::this_thread::yield();
  server.reset();
  asker.join();
  EXPECT_THAT(problem_of(*result, 503)["detail"].get<std::string>(), HasSubstr("again"));
}

}  // namespace
}  // namespace penstock
