// Who may ask what, over a real connection.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

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
