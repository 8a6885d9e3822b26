// Who may ask what, over a real connection.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "api/live/event_streams.h"
#include "api/server/tokens.h"
#include "api/server/watched_files.h"
#include "tests/api/fake_source.h"
#include "tests/api/http/tls_client.h"
#include "tests/api/raw_connection.h"

namespace penstock {
namespace {

using testing::HasSubstr;

std::string hex_of(const TokenHash& hash) {
  std::string text;
  char digits[3];
  for (const unsigned char byte : hash) {
    std::snprintf(digits, sizeof digits, "%02x", byte);
    text += digits;
  }
  return text;
}

struct TokensFile {
  std::string path =
      std::filesystem::temp_directory_path() / ("penstock-tokens-" + std::to_string(::getpid()));
  ~TokensFile() { std::filesystem::remove(path); }

  // Each token is its own name.
  void write(const std::vector<std::pair<std::string, std::string>>& tokens) const {
    std::string text;
    for (const auto& [name, members] : tokens) {
      text += std::string(text.empty() ? "[" : ",") + R"({"name":")" + name +
              R"(","hash":"sha256:)" + hex_of(hash_of_token(name)) + "\"," + members + "}";
    }
    std::ofstream(path + ".new") << text << "]";
    std::filesystem::rename(path + ".new", path);
  }
};

struct Scoped : ApiTest {
  TokensFile file;
  Scoped() {
    file.write({{"reader", R"("scopes":["read"])"},
                {"producer", R"("scopes":["produce"])"},
                {"operator", R"("scopes":["operate","read"])"},
                {"bound", R"("scopes":["read","produce"],"queues":["crm"])"}});
    http.tokens = file.path;
  }
  int status(const std::string& token, const char* method, const std::string& path) {
    auto to = client();
    const httplib::Headers headers{{"Authorization", "Bearer " + token}};
    const auto result = std::string(method) == "GET"
                            ? to.Get(path, headers)
                            : to.Post(path, headers, "", "application/json");
    return result ? result->status : -1;
  }
};

TEST_F(Scoped, AScopeIsRequiredForEachRoute) {
  EXPECT_EQ(status("reader", "GET", "/v1/queues"), 200);
  EXPECT_EQ(status("reader", "POST", "/v1/queues/mail/pause"), 403);
  EXPECT_EQ(status("reader", "POST", "/v1/queues/mail/jobs"), 403);
  EXPECT_EQ(status("producer", "POST", "/v1/queues/mail/jobs"), 422);
  EXPECT_EQ(status("producer", "GET", "/v1/queues"), 403);
  EXPECT_EQ(status("operator", "POST", "/v1/queues/mail/pause"), 200);
  EXPECT_EQ(status("operator", "POST", "/v1/queues/mail/jobs"), 403);
}

TEST_F(Scoped, ATokenWithQueuesSeesTheseOnly) {
  EXPECT_EQ(status("bound", "GET", "/v1/queues/mail"), 403);
  EXPECT_EQ(status("bound", "GET", "/v1/limits"), 403);
  EXPECT_EQ(status("bound", "GET", "/v1/queues/crm"), 404);
  auto to = client();
  const auto all = to.Get("/v1/queues", {{"Authorization", "Bearer bound"}});
  ASSERT_EQ(all->status, 200);
  EXPECT_EQ(body_of(all)["queues"].size(), 0U);
}

TEST_F(Scoped, AnUnknownTokenIs401AndThen429) {
  EXPECT_EQ(status("nobody", "GET", "/v1/queues"), 401);
  int last = 401;
  for (int i = 0; i < 100 && last == 401; ++i) last = status("nobody", "GET", "/v1/queues");
  EXPECT_EQ(last, 429);
  // The others behind this address are not locked out.
  EXPECT_EQ(status("reader", "GET", "/v1/queues"), 200);
}

TEST_F(Scoped, TheOperatorsNameIsRecordedWithAPause) {
  EXPECT_EQ(status("operator", "POST", "/v1/queues/mail/pause"), 200);
  EXPECT_THAT(control.set.at("pause/mail").value(), HasSubstr("\"by\":\"operator\""));
}

TEST_F(Scoped, ATokenThatMayOnlyEnqueueSendsNoCommands) {
  auto to = client();
  const auto send = [&](const char* token) {
    return to.Post("/v1/queues/mail/jobs", {{"Authorization", std::string("Bearer ") + token}},
                   R"({"account":"acme","id":"a","op":"delete"})", "application/json");
  };
  EXPECT_EQ(problem_of(send("producer"), 422)["member"], "/op");
  EXPECT_TRUE(sink.records.empty());
}

TEST_F(Scoped, EveryChangeAndEveryDenialLeavesAnAuditLine) {
  std::vector<nlohmann::json> lines;
  logs.audit = [&](const std::string& line) { lines.push_back(nlohmann::json::parse(line)); };
  (void)status("reader", "GET", "/v1/queues");
  (void)status("operator", "POST", "/v1/queues/mail/pause?account=acme");
  (void)status("reader", "POST", "/v1/queues/mail/pause");
  server.reset();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["audit"], "pause");
  EXPECT_EQ(lines[0]["who"], "operator");
  EXPECT_EQ(lines[0]["from"], "127.0.0.1");
  EXPECT_EQ(lines[0]["query"]["account"], "acme");
  EXPECT_EQ(lines[0]["status"], 200);
  EXPECT_EQ(lines[1]["audit"], "denied");
  EXPECT_EQ(lines[1]["who"], "reader");
}

TEST_F(Scoped, ABrowserWithoutATokenGetsThePageThatAsksForIt) {
  const auto result = get("/");
  EXPECT_EQ(result->status, 401);
  EXPECT_THAT(result->get_header_value("Content-Type"), HasSubstr("text/html"));
  EXPECT_EQ(get("/assets/page.css")->status, 200);
}

TEST_F(ApiTest, AHeadOfTheEventsBeginsNoStream) {
  auto to = client();
  for (std::size_t i = 0; i <= EventStreams::kMaxStreams; ++i)
    EXPECT_EQ(to.Head("/v1/events")->status, 200);
  const RawConnection stream(server->port());
  ASSERT_TRUE(stream.send("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
  EXPECT_THAT(stream.read_some(), testing::StartsWith("HTTP/1.1 200"));
}

TEST_F(ApiTest, AnExceptionsTextStaysInTheLog) {
  source.on_partitions = [] { throw std::runtime_error("a secret path"); };
  std::string logged;
  logs.log = [&](std::string_view, const std::string& text) { logged += text; };
  const auto result = get("/v1/workers");
  EXPECT_EQ(problem_of(result, 500)["type"], "urn:penstock:problem:internal-error");
  EXPECT_THAT(result->body, testing::Not(HasSubstr("secret")));
  server.reset();
  EXPECT_THAT(logged, HasSubstr("a secret path"));
}

// The answer to a request, over TLS.
std::string ask_over_tls(int port, const std::string& request, std::string* server_name) {
  RawConnection connection(port);
  TlsClient client;
  const auto exchange = [&] { EXPECT_TRUE(connection.send(client.take())); };
  exchange();
  while (!client.connected()) {
    const std::string down = connection.read_some();
    if (down.empty()) return {};
    client.received(down);
    exchange();
  }
  *server_name = client.server_name();
  EXPECT_TRUE(client.send(request));
  exchange();
  for (std::string down; !(down = connection.read_some()).empty();) client.received(down);
  return client.plain;
}

TEST_F(ApiTest, OverTlsWithACertificateThatIsReadAgain) {
  auto first = std::make_unique<TestCertificate>("first");
  http.certificate = first->certificate;
  http.key = first->key;
  (void)client();
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  std::string name;
  EXPECT_THAT(ask_over_tls(server->port(), request, &name), HasSubstr("200 OK"));
  EXPECT_EQ(name, "first");
  EXPECT_THAT(server->url(), testing::StartsWith("https://"));

  const TestCertificate second("second");
  std::filesystem::copy_file(second.key, http.key,
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(second.certificate, http.certificate,
                             std::filesystem::copy_options::overwrite_existing);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (name != "second" && std::chrono::steady_clock::now() < until)
    (void)ask_over_tls(server->port(), request, &name);
  EXPECT_EQ(name, "second");
}

TEST_F(Scoped, TokensAreReadAgainWhenTheirFileChanges) {
  EXPECT_EQ(status("late", "GET", "/v1/queues"), 401);
  file.write({{"late", R"("scopes":["read"])"}});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  int got = 0;
  while (got != 200 && std::chrono::steady_clock::now() < until)
    got = status("late", "GET", "/v1/queues");
  EXPECT_EQ(got, 200);
  // 401, or 429: the token has failed often meanwhile.
  EXPECT_NE(status("reader", "GET", "/v1/queues"), 200);
}

TEST_F(ApiTest, HealthChecksMayHaveAnAddressOfTheirOwn) {
  http.health_listen = "127.0.0.1:0";
  (void)client();
  ASSERT_NE(server->health_port(), 0);
  httplib::Client health("127.0.0.1", server->health_port());
  EXPECT_EQ(health.Get("/healthz")->status, 200);
  EXPECT_EQ(health.Get("/v1/queues")->status, 404);
}

TEST_F(ApiTest, ARequestThatAnotherSitesPageSentIsRefusedWithoutAToken) {
  auto to = client();
  for (const char* const site : {"cross-site", "same-site"})
    problem_of(to.Get("/v1/queues", {{"Sec-Fetch-Site", site}}), 403);
  for (const char* const site : {"same-origin", "none"})
    EXPECT_EQ(to.Get("/v1/queues", {{"Sec-Fetch-Site", site}})->status, 200);
}

}  // namespace
}  // namespace penstock
