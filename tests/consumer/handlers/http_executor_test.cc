#include "consumer/handlers/http/http_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "consumer/handlers/http/webhook_signature.h"
#include "consumer/handlers/process/open_files.h"
#include "consumer/handlers/protocol/answer_json.h"
#include "consumer/handlers/protocol/request_json.h"
#include "consumer/policy/error_pattern.h"
#include "loopback_server.h"
#include "test_mailbox.h"
#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

OutcomeValue outcome_of(const std::string& url, AttemptRequest attempt = request(1)) {
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {url, {}});
  http.start(std::move(attempt), mailbox);
  return mailbox.outcome();
}

OutcomeValue outcome_of(httplib::Server::Handler handler) {
  const LoopbackServer server(std::move(handler));
  return outcome_of(server.url());
}

TEST(Http, PostsTheRequestAsJson) {
  AttemptRequest attempt = request(7, R"({"segment_id":7})");
  const std::string expected = request_json(attempt);
  httplib::Request got;
  const LoopbackServer server([&](const auto& asked, auto&) { got = asked; });
  as<Done>(outcome_of(server.url(), std::move(attempt)));
  EXPECT_EQ(got.path, "/jobs");
  EXPECT_EQ(got.version, "HTTP/1.1");
  EXPECT_EQ(got.get_header_value("Content-Type"), "application/json");
  EXPECT_EQ(got.body, expected);
}

TEST(Http, SignsWhenThereIsASecret) {
  constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() + "/secret";
  std::ofstream(path) << kSecret << "\n";
  httplib::Request got;
  const LoopbackServer server([&](const auto& asked, auto&) { got = asked; });
  TestMailbox mailbox;
  HttpClient client;
  const auto http = HttpExecutor::open(client, {server.url(), path}).value();
  http->start(request(1), mailbox);
  as<Done>(mailbox.outcome());
  const std::string id = got.get_header_value("webhook-id");
  const auto timestamp = std::stoll(got.get_header_value("webhook-timestamp"));
  EXPECT_EQ(id, "mail/acme/job-1");
  EXPECT_NEAR(static_cast<double>(timestamp), static_cast<double>(time(nullptr)), 60);
  EXPECT_EQ(got.get_header_value("webhook-signature"),
            webhook_signature(parse_secrets(kSecret).value(), id, timestamp, got.body));
  std::filesystem::remove(path);
}

TEST(Http, DoesNotSignWithoutASecret) {
  httplib::Request got;
  as<Done>(outcome_of([&](const auto& asked, auto&) { got = asked; }));
  EXPECT_FALSE(got.has_header("webhook-signature"));
}

TEST(Http, CannotBeOpenedWithoutItsSecretFile) {
  HttpClient client;
  EXPECT_FALSE(HttpExecutor::open(client, {"http://127.0.0.1:1/", "/nowhere/secret"}).has_value());
}

TEST(Http, ReadsTheAnswerInTheBody) {
  const auto outcome = outcome_of([](const auto&, auto& answer) {
    answer.set_content(R"({"next":{"page":2}})", "application/json");
  });
  EXPECT_EQ(as<NextIteration>(outcome).cursor, R"({"page":2})");
}

TEST(Http, SnoozesByRetryAfter) {
  const auto outcome = outcome_of([](const auto&, auto& answer) {
    answer.status = 429;
    answer.set_header("Retry-After", "7");
  });
  EXPECT_EQ(as<Snooze>(outcome).in, 7s);
}

TEST(Http, DiscardsWhatIsGone) {
  as<Discard>(outcome_of([](const auto&, auto& answer) { answer.status = 410; }));
}

TEST(Http, DoesNotFollowRedirects) {
  const auto outcome =
      outcome_of([](const auto&, auto& answer) { answer.set_redirect("/x", 307); });
  EXPECT_NE(as<RetryLater>(outcome).error.find("307"), std::string::npos);
}

TEST(Http, RetriesWhenNobodyListens) {
  std::string url;
  {
    const RawServer server([](int, int) {});
    url = server.url();
  }
  const auto retry = as<RetryLater>(outcome_of(url));
  EXPECT_NE(retry.error.find(url), std::string::npos);
  EXPECT_EQ(retry.error_class, kConnectionError);
}

TEST(Http, AReasonShowsNoPasswordOfTheUrl) {
  std::string host;
  {
    const RawServer server([](int, int) {});
    host = server.url().substr(std::string("http://").size());
  }
  const auto retry = as<RetryLater>(outcome_of("http://user:swordfish@" + host + "?key=swordfish"));
  EXPECT_EQ(retry.error.find("swordfish"), std::string::npos) << retry.error;
  EXPECT_NE(retry.error.find("POST to http://...@127.0.0.1"), std::string::npos) << retry.error;
}

TEST(Http, RetriesABrokenConnection) {
  const RawServer server([](int connection, int) {
    if (RawServer::read_request(connection)) {
      RawServer::say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
    }
  });
  as<RetryLater>(outcome_of(server.url()));
}

TEST(Http, RetriesWhatIsNoHttp) {
  const RawServer server([](int connection, int) {
    if (RawServer::read_request(connection)) RawServer::say(connection, "hello\r\n\r\n");
  });
  as<RetryLater>(outcome_of(server.url()));
}

TEST(Http, RetriesAfterTheTimeout) {
  Flag ended;
  const RawServer server([&](int connection, int) {
    RawServer::read_request(connection);
    ended.wait();
  });
  AttemptRequest attempt = request(1);
  attempt.timeout = 100ms;
  const auto retry = as<RetryLater>(outcome_of(server.url(), std::move(attempt)));
  EXPECT_EQ(retry.error, "timed out after 100ms");
  EXPECT_EQ(retry.error_class, kTimeoutError);
  ended.set();
}

TEST(Http, RefusesAnAnswerPastTheMaximum) {
  const auto outcome = outcome_of([](const auto&, auto& answer) {
    answer.set_content(std::string(kMaxAnswerBytes + 1, 'x'), "text/plain");
  });
  EXPECT_NE(as<RetryLater>(outcome).error.find("16 MiB"), std::string::npos);
}

TEST(Http, SendsALargeRequestWhole) {
  const std::string args = R"({"x":")" + std::string(1'000'000, 'y') + R"("})";
  std::size_t got = 0;
  const LoopbackServer server([&](const auto& asked, auto&) {
    got = nlohmann::json::parse(asked.body)["args"].dump().size();
  });
  as<Done>(outcome_of(server.url(), request(1, args)));
  EXPECT_EQ(got, args.size());
}

TEST(Http, KeepsItsConnection) {
  std::atomic<int> connections = 0;
  const RawServer server([&](int connection, int) {
    ++connections;
    while (RawServer::read_request(connection)) {
      RawServer::say(connection, "HTTP/1.1 204 No Content\r\n\r\n");
    }
  });
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {server.url(), {}});
  for (std::uint64_t i = 0; i < 20; ++i) {
    http.start(request(i), mailbox);
    as<Done>(mailbox.outcome());
  }
  EXPECT_EQ(connections, 1);
}

TEST(Http, SpendsNoAttemptOnAConnectionThatTheServerClosedWhileIdle) {
  Flag closed;
  const RawServer server([&](int connection, int index) {
    RawServer::read_request(connection);
    RawServer::say(connection, "HTTP/1.1 204 No Content\r\n\r\n");
    if (index == 0) shutdown(connection, SHUT_RDWR);
    if (index == 0) closed.set();
  });
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {server.url(), {}});
  http.start(request(1), mailbox);
  as<Done>(mailbox.outcome());
  EXPECT_TRUE(closed.wait());
  http.start(request(2), mailbox);
  as<Done>(mailbox.outcome());
}

TEST(Http, ClosesTheConnectionOfAKilledAttemptAndSaysNothing) {
  Flag asked, closed;
  const RawServer server([&](int connection, int index) {
    RawServer::read_request(connection);
    if (index == 0) {
      asked.set();
      char byte;
      if (recv(connection, &byte, 1, 0) <= 0) closed.set();
    } else {
      RawServer::say(connection, "HTTP/1.1 204 No Content\r\n\r\n");
    }
  });
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {server.url(), {}});
  http.start(request(1), mailbox);
  EXPECT_TRUE(asked.wait());
  http.kill(request(1).key);
  EXPECT_TRUE(closed.wait());
  http.start(request(2), mailbox);
  EXPECT_EQ(mailbox.next<AttemptEnded>()->key, request(2).key);
  EXPECT_EQ(mailbox.size(), 0u);
}

// A server that holds every request until it is released, and counts them.
class HeldHttp : public testing::Test {
 protected:
  TestMailbox mailbox_;
  std::atomic<int> inside_ = 0, most_ = 0;
  Flag asked_, released_;
  LoopbackServer server_{[this](const auto&, auto&) {
    const int now = ++inside_;
    int most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
    asked_.set();
    EXPECT_TRUE(released_.wait());
    --inside_;
  }};
};

TEST_F(HeldHttp, HasAtMostItsMaximumInFlight) {
  HttpClient client(3);
  HttpExecutor http(client, {server_.url(), {}});
  for (std::uint64_t i = 0; i < 20; ++i) http.start(request(i), mailbox_);
  for (const auto deadline = std::chrono::steady_clock::now() + kPatience;
       inside_ < 3 && std::chrono::steady_clock::now() < deadline;) {
    std::this_thread::yield();
  }
  released_.set();
  std::set<std::uint64_t> ended;
  for (int i = 0; i < 20; ++i) ended.insert(mailbox_.next<AttemptEnded>()->key.token.number);
  EXPECT_EQ(ended.size(), 20u);
  EXPECT_EQ(most_, 3);
}

TEST_F(HeldHttp, LetsARunningRequestGoOnWhenAskedToStopButNotAWaitingOne) {
  HttpClient client(1);
  HttpExecutor http(client, {server_.url(), {}});
  for (std::uint64_t i = 1; i <= 3; ++i) http.start(request(i), mailbox_);
  EXPECT_TRUE(asked_.wait());
  http.request_stop(request(1).key);
  http.request_stop(request(2).key);
  http.kill(request(3).key);
  auto ended = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(ended->key, request(2).key);
  as<Interrupted>(ended->outcome);
  released_.set();
  ended = mailbox_.next<AttemptEnded>();
  EXPECT_EQ(ended->key, request(1).key);
  as<Done>(ended->outcome);
  EXPECT_EQ(mailbox_.size(), 0u);
}

TEST_F(HeldHttp, AnswersNothingWhenTheClientGoesAway) {
  {
    HttpClient client(1);
    HttpExecutor http(client, {server_.url(), {}});
    http.start(request(1), mailbox_);
    http.start(request(2), mailbox_);
    EXPECT_TRUE(asked_.wait());
  }
  released_.set();
  EXPECT_EQ(mailbox_.size(), 0u);
}

// None is answered before all of them are there.
TEST(Http, HoldsThousandsOfRequestsOpenAtOnce) {
  constexpr int kAtOnce = 2'000;
  raise_open_file_limit();
  std::vector<Fd> held;
  const RawServer server([&](int connection, int) {
    if (!RawServer::read_request(connection)) return;
    held.emplace_back(dup(connection));
    if (held.size() < kAtOnce) return;
    for (const Fd& one : held)
      RawServer::say(one.get(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  TestMailbox mailbox;
  HttpClient client;
  HttpExecutor http(client, {server.url(), {}});
  for (std::uint64_t i = 0; i < kAtOnce; ++i) http.start(request(i), mailbox);
  ASSERT_TRUE(mailbox.holds(kAtOnce)) << mailbox.size() << " of " << kAtOnce;
  for (int i = 0; i < kAtOnce; ++i) as<Done>(mailbox.outcome());
}

TEST(Http, CarriesManyAtOnceForSeveralExecutors) {
  std::atomic<int> count = 0;
  const LoopbackServer server([&](const auto&, auto&) { ++count; });
  TestMailbox mailbox;
  HttpClient client(24);
  HttpExecutor one(client, {server.url(), {}}), two(client, {server.url() + "/two", {"key"}});
  for (std::uint64_t i = 0; i < 1'000; ++i) (i % 2 == 0 ? one : two).start(request(i), mailbox);
  ASSERT_TRUE(mailbox.holds(1'000));
  for (int i = 0; i < 1'000; ++i) as<Done>(mailbox.outcome());
  EXPECT_EQ(count, 1'000);
}

}  // namespace
}  // namespace penstock
