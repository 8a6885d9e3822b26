// The server against bytes that no well-meaning client sends, and against slow ones.
#include <list>

#include "tests/api/fake_source.h"
#include "tests/api/raw_connection.h"

namespace penstock {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kJob = R"({"type":"send","id":"7","account":"acme"})";

std::string post_head(const std::string& fields) {
  return "POST /v1/queues/mail/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n";
}

std::string post_of(const std::string& body) {
  return post_head("Content-Type: application/json\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n") +
         body;
}

std::string get_of(const std::string& path, const std::string& fields = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n";
}

int replies_in(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find("HTTP/1.1 ", at)) != text.npos; ++at) ++count;
  return count;
}

struct RawHttp : ApiTest {
  RawConnection connect() {
    (void)client();
    RawConnection connection(server->port());
    EXPECT_TRUE(connection.connected());
    return connection;
  }
  std::size_t sent() {
    const std::lock_guard lock(sink.mutex);
    return sink.records.size();
  }
  // One refusal, the end of the connection, and no job.
  void expect_refused(const std::string& status, const std::string& first,
                      const std::string& second) {
    RawConnection connection = connect();
    connection.send(first);
    if (second.empty()) {
      connection.send(post_of(kJob));
    } else {
      connection.read_until("\r\n\r\n");  // the refusal has been sent
      connection.send(second);
    }
    bool ended = false;
    const std::string reply = connection.read_all(&ended);
    EXPECT_TRUE(ended) << first.substr(0, 200);
    EXPECT_LE(replies_in(reply), 1) << reply;
    if (second.empty()) {
      EXPECT_THAT(reply, StartsWith("HTTP/1.1 " + status)) << first.substr(0, 200);
    }
    EXPECT_EQ(sent(), 0u) << first.substr(0, 200);
  }
};

struct Refusal {
  const char* status;
  std::string head;
};

// Each announces a body, or could be read as if it did.
std::vector<Refusal> refusals() {
  const std::string line = "POST /v1/queues/mail/jobs HTTP/1.1\r\n";
  const std::string json = "Content-Type: application/json\r\n";
  const std::string size = "Content-Length: 8000\r\n";
  return {
      {"403", line + "Host: evil.example\r\n" + json + size + "\r\n"},
      {"403", line + "Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n" + size + "\r\n"},
      {"413", post_head(json + "Content-Length: 40000000\r\n")},
      {"413", post_head(json + "Content-Length: 99999999999999999999999\r\n")},
      {"414",
       "POST /v1/" + std::string(4000, 'a') + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + size + "\r\n"},
      {"415", post_head(json + size + "Content-Encoding: gzip\r\n")},
      {"415", post_head(size + "Content-Type: Application/X-WWW-Form-URLencoded\r\n")},
      {"400", post_head(json + size + "Transfer-Encoding: chunked\r\n")},
      {"400", post_head(json + size + "Content-Length: 3\r\n")},
      {"400", post_head(json + "Content-Length: 5, 5\r\n")},
      {"400", post_head(json + "Content-Length: +5\r\n")},
      {"400", post_head(json + "Content-Length: 0x5\r\n")},
      {"400", post_head(json + size + "Folded: a\r\n b\r\n")},
      {"400", post_head(json + size + "Blank : a\r\n")},
      {"400", post_head(json + size + "no field\r\n")},
      {"400", post_head(json + size + "Host: localhost\r\n")},
      {"400", "POST  /v1/queues/mail/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n" + size + "\r\n"},
      {"400", "POST /v1/%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + size + "\r\n"},
      {"417", post_head(json + size + "Expect: a miracle\r\n")},
      {"501", post_head(json + "Transfer-Encoding: gzip, chunked\r\n")},
      {"400", "POST /v1/queues/mail/jobs HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"505", "POST /v1/queues/mail/jobs HTTP/2.0\r\nHost: 127.0.0.1\r\n" + size + "\r\n"},
  };
}

TEST_F(RawHttp, TheBodyOfARefusedRequestIsNeverReadAsARequest) {
  for (const Refusal& refusal : refusals()) {
    expect_refused(refusal.status, refusal.head, "");
    expect_refused(refusal.status, refusal.head + std::string(4096, ' '), "");
    expect_refused(refusal.status, refusal.head, post_of(kJob));
    expect_refused(refusal.status, refusal.head + std::string(4096, ' '), post_of(kJob));
  }
}

TEST_F(RawHttp, TheBodyOfAnUnauthorizedRequestIsNeverReadAsARequest) {
  const std::string path =
      ::testing::TempDir() + "penstock-raw-token-" + std::to_string(::getpid());
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("secret\n", file);
  std::fclose(file);
  http.token_file = path;
  const std::string authorized = post_head(
                                     "Authorization: Bearer secret\r\nContent-Type: "
                                     "application/json\r\nContent-Length: " +
                                     std::to_string(std::string(kJob).size()) + "\r\n") +
                                 kJob;
  RawConnection connection = connect();
  std::remove(path.c_str());
  connection.send(post_head("Content-Length: 8000\r\n") + std::string(4096, ' ') + authorized);
  const std::string reply = connection.read_all();
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 401"));
  EXPECT_EQ(replies_in(reply), 1);
  EXPECT_EQ(sent(), 0u);
}

TEST_F(RawHttp, TheBodyOfAGetOrADeleteIsNoRequest) {
  for (const std::string method : {"GET", "DELETE", "PATCH"}) {
    const std::string inner = post_of(kJob);
    RawConnection connection = connect();
    connection.send(method + " /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " +
                    std::to_string(inner.size()) + "\r\n\r\n");
    connection.send(inner + get_of("/readyz", "Connection: close\r\n"));
    EXPECT_EQ(replies_in(connection.read_all()), 2) << method;
    EXPECT_EQ(sent(), 0u) << method;
  }
}

TEST_F(RawHttp, AChunkedBodyAboveTheMaximumIsRefused) {
  RawConnection connection = connect();
  connection.send(
      post_head("Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n"));
  const std::string chunk = "100000\r\n" + std::string(1 << 20, '\n') + "\r\n";
  for (std::size_t sent = 0; sent <= Server::kMaxBodyBytes; sent += 1 << 20) connection.send(chunk);
  connection.send("0\r\n\r\n" + post_of(kJob));
  EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 413"));
  EXPECT_EQ(sent(), 0u);
}

TEST_F(RawHttp, AChunkedBodyIsReadWholeHoweverItArrives) {
  const std::string body =
      "5;name=\"value\"\r\n{\"typ\r\n24\r\ne\":\"send\",\"id\":\"7\",\"account\":\"acme\"}\r\n"
      "000\r\nTrailer: ignored\r\n\r\n";
  RawConnection connection = connect();
  connection.send(
      post_head("Content-Type: application/json\r\nTransfer-Encoding: Chunked\r\n"
                "Connection: close\r\n"));
  for (const char c : body) connection.send(std::string(1, c));
  EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 202"));
  EXPECT_EQ(sent(), 1u);
}

TEST_F(RawHttp, ABrokenChunkIsRefused) {
  for (const char* const body : {"zz\r\n", "5 \r\nabcde\r\n", "5\r\nabcdefgh", "-1\r\n", "\r\n",
                                 "11111111111111111\r\n", "5\nabcde\r\n"}) {
    RawConnection connection = connect();
    connection.send(post_head("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n") +
                    body + post_of(kJob));
    const std::string reply = connection.read_all();
    EXPECT_THAT(reply, StartsWith("HTTP/1.1 4")) << body;
    EXPECT_EQ(replies_in(reply), 1) << body;
    EXPECT_EQ(sent(), 0u) << body;
  }
}

TEST_F(RawHttp, AHeadAboveTheMaximumIsRefused) {
  for (const std::string& line :
       {"X-Long: " + std::string(1000, 'a') + "\r\n", std::string("A:\r\n")}) {
    RawConnection connection = connect();
    connection.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    for (std::size_t sent = 0; sent < (64 << 20) && connection.send(line); sent += line.size()) {
      if (sent > (1 << 20)) break;  // far above it
    }
    connection.send("\r\n");
    EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 431")) << line.size();
  }
  RawConnection connection = connect();
  connection.send("GET /" + std::string(100'000, 'a'));
  EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 4"));
}

TEST_F(RawHttp, PipelinedRequestsAreAnsweredInTheirOrder) {
  RawConnection connection = connect();
  connection.send(post_of(kJob) + get_of("/healthz") + "\r\n" + get_of("/v1/queues") +
                  post_of(kJob) + get_of("/v2", "Connection: close\r\n") + post_of(kJob));
  const std::string reply = connection.read_all();
  EXPECT_EQ(replies_in(reply), 5) << reply;
  std::size_t at = 0;
  for (const char* const part : {"202", "ok\n", "\"queues\"", "202", "404"}) {
    at = reply.find(part, at);
    ASSERT_NE(at, reply.npos) << part << " in " << reply;
  }
  EXPECT_EQ(sent(), 2u);
}

TEST_F(RawHttp, AClientThatAsksFirstIsToldToSendItsBody) {
  RawConnection connection = connect();
  connection.send(
      post_head("Content-Type: application/json\r\nExpect: 100-continue\r\n"
                "Connection: close\r\nContent-Length: " +
                std::to_string(std::string(kJob).size()) + "\r\n"));
  EXPECT_EQ(connection.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  connection.send(kJob);
  EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 202"));
}

TEST_F(RawHttp, TheFirstVersionOfTheProtocolIsAnswered) {
  RawConnection connection = connect();
  connection.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(connection.read_all(), testing::EndsWith("ok\n"));
  RawConnection head = connect();
  head.send("HEAD /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  const std::string reply = head.read_all();
  EXPECT_THAT(reply, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(reply, testing::EndsWith("\r\n\r\n"));
}

TEST_F(RawHttp, ATargetThatNamesAForeignHostIsRefused) {
  RawConnection connection = connect();
  connection.send("GET http://evil.example/v1/queues HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  EXPECT_THAT(connection.read_all(), StartsWith("HTTP/1.1 403"));
}

TEST_F(RawHttp, SlowConnectionsStopNeitherHealthNorOthers) {
  std::list<RawConnection> slow;
  const std::string head = post_head("Content-Type: application/json\r\nContent-Length: 1000\r\n");
  const std::string chunked = post_head("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 25; ++i) {
    slow.push_back(connect());
    for (const std::string& part : {std::string("GET /hea"), head + "{", chunked + "5\r\nab"}) {
      slow.push_back(connect());
      slow.back().send(part);
    }
  }
  EXPECT_EQ(get("/healthz")->status, 200);
  EXPECT_EQ(get("/readyz")->status, 200);
  EXPECT_EQ(get("/v1/queues")->status, 200);
  EXPECT_EQ(post("/v1/queues/mail/jobs", kJob)->status, 202);
}

TEST_F(RawHttp, RequestsThatWaitForKafkaStopNeitherHealthNorReading) {
  sink.silent = true;
  std::list<RawConnection> waiting;
  for (int i = 0; i < 300; ++i) {
    waiting.push_back(connect());
    waiting.back().send(post_of(kJob));
  }
  EXPECT_THAT(waiting.back().read_until("\r\n"), HasSubstr("503"));  // the line is full
  EXPECT_EQ(get("/healthz")->status, 200);
  EXPECT_EQ(get("/readyz")->status, 200);
  EXPECT_EQ(get("/v1/queues")->status, 200);
}

TEST_F(RawHttp, AHeadAndABodyHaveTheirTime) {
  limits.head_time = limits.body_pause = std::chrono::milliseconds(1);
  const std::string sized = post_head("Content-Type: application/json\r\nContent-Length: 100\r\n");
  for (const std::string& part : {std::string("GET /healthz HTT"), sized + "{",
                                  post_head("Transfer-Encoding: chunked\r\n") + "5\r\nab"}) {
    RawConnection connection = connect();
    connection.send(part);
    bool ended = false;
    EXPECT_THAT(connection.read_all(&ended), StartsWith("HTTP/1.1 408")) << part;
    EXPECT_TRUE(ended) << part;
  }
}

TEST_F(RawHttp, AnIdleConnectionEnds) {
  limits.idle_time = std::chrono::milliseconds(1);
  bool ended = false;
  EXPECT_EQ(connect().read_all(&ended), "");
  EXPECT_TRUE(ended);
}

TEST_F(RawHttp, TheBodiesOfAllRequestsTogetherHaveAMaximum) {
  limits.max_bytes_held = 100'000;
  const std::string head = post_head(
      "Content-Type: application/json\r\nExpect: 100-continue\r\n"
      "Content-Length: 90000\r\n");
  std::list<RawConnection> held;
  for (int i = 0; i < 2; ++i) {
    held.push_back(connect());
    held.back().send(head);
    held.back().read_until("100 Continue\r\n\r\n");
    held.back().send(std::string(60'000, ' '));
  }
  // One of them is refused, whichever came second; then there is room again.
  const std::string first = held.front().read_until_either("503 Service", held.back());
  EXPECT_THAT(first, HasSubstr("503 Service"));
  EXPECT_EQ(post("/v1/queues/mail/jobs", kJob)->status, 202);
}

TEST_F(RawHttp, AClientThatEndsItsSideStillGetsItsReply) {
  RawConnection connection = connect();
  connection.send(get_of("/healthz"));
  connection.end_sending();
  EXPECT_THAT(connection.read_all(), testing::EndsWith("ok\n"));
}

TEST_F(RawHttp, MoreConnectionsThanAreHeldDoNotStopHealth) {
  std::list<RawConnection> idle;
  for (int i = 0; i < 600; ++i) idle.push_back(connect());
  EXPECT_EQ(get("/healthz")->status, 200);
}

}  // namespace
}  // namespace penstock
