#include "api/http/http_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace penstock {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using State = HttpConnection::State;

constexpr std::size_t kMaxBody = 64;
constexpr const char* kBody = "PUT /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde";
constexpr const char* kChunks =
    "POST /chunks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;x=y\r\nab\n\r\n00a\r\n0123456789\r\n0\r\nT: ignored\r\n\r\n";
constexpr const char* kGet = "\r\nGET /get HTTP/1.1\r\nHost: a\r\n\r\n";

HttpRules rules_of(int max_requests = 10) {
  return {.max_body_bytes = kMaxBody,
          .max_requests = max_requests,
          .refusal = [](const HttpHead& head) -> std::optional<HttpReply> {
            if (head.path != "/refused") return std::nullopt;
            return HttpReply{.status = 403, .type = "text/plain", .body = "no"};
          },
          .fault_reply =
              [](const HttpFault& fault) {
                return HttpReply{
                    .status = fault.status, .type = "text/plain", .body = fault.detail};
              }};
}

struct Talk {
  explicit Talk(const HttpRules& rules) : connection(rules) {}
  HttpConnection connection;
  std::vector<std::string> seen;  // "path:body" of each request
  std::string sent;

  void say(std::string_view bytes) {
    connection.received(bytes);
    for (;;) {
      if (auto request = connection.request()) {
        seen.push_back(request->head.path + ":" + request->body);
        connection.reply({.status = 200, .type = "text/plain", .body = "ok"});
      }
      const std::string_view text = connection.unsent();
      if (text.empty()) return;
      sent += text;
      connection.sent(text.size());
    }
  }
};

TEST(Connection, RequestsAreTheSameHoweverTheirBytesArrive) {
  const std::string all = std::string(kBody) + kChunks + kGet + kBody;
  const HttpRules rules = rules_of();
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    Talk talk(rules);
    for (std::size_t at = 0; at < all.size(); at += piece) talk.say(all.substr(at, piece));
    EXPECT_THAT(talk.seen,
                ElementsAre("/body:abcde", "/chunks:ab\n0123456789", "/get:", "/body:abcde"))
        << piece;
    EXPECT_EQ(talk.connection.bytes_held(), 0u);
  }
}

TEST(Connection, NothingBehindARefusalIsRead) {
  const HttpRules rules = rules_of();
  for (const std::string refused :
       {"GET /refused HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\x01\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 65\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n41\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcdefg\r\n"}) {
    for (const bool at_once : {true, false}) {
      Talk talk(rules);
      if (at_once) {
        talk.say(refused + kBody);
      } else {
        talk.say(refused);
        talk.say(kBody);
      }
      EXPECT_THAT(talk.seen, ElementsAre()) << refused;
      EXPECT_THAT(talk.sent, StartsWith("HTTP/1.1 4")) << refused;
      EXPECT_THAT(talk.sent, HasSubstr("Connection: close\r\n")) << refused;
      EXPECT_TRUE(talk.connection.is_over()) << refused;
      EXPECT_EQ(talk.connection.bytes_held(), 0u) << refused;
    }
  }
}

TEST(Connection, AHeadThatDoesNotEndIsRefusedAtItsMaximum) {
  const HttpRules rules = rules_of();
  Talk talk(rules);
  talk.say("GET / HTTP/1.1\r\nHost: a\r\n");
  while (talk.sent.empty() && talk.connection.bytes_held() <= 2 * kMaxHeadBytes) talk.say("A:\r\n");
  EXPECT_THAT(talk.sent, StartsWith("HTTP/1.1 431"));
}

TEST(Connection, LinesBetweenChunksHaveAMaximum) {
  const HttpRules rules = rules_of();
  const std::string head = "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  Talk extension(rules);
  extension.say(head + "1;" + std::string(ChunkedBody::kMaxLineBytes, 'x'));
  EXPECT_THAT(extension.sent, StartsWith("HTTP/1.1 400"));
  Talk trailers(rules);
  trailers.say(head + "0\r\n");
  for (int i = 0; i <= ChunkedBody::kMaxTrailers; ++i) trailers.say("A: b\r\n");
  EXPECT_THAT(trailers.sent, StartsWith("HTTP/1.1 431"));
}

TEST(Connection, TheLastOfManyRequestsEndsIt) {
  const HttpRules rules = rules_of(2);
  Talk talk(rules);
  talk.say(std::string(kGet) + kGet + kGet);
  EXPECT_EQ(talk.seen.size(), 2u);
  EXPECT_TRUE(talk.connection.is_over());
}

TEST(Connection, WhatIsBeingAnsweredIsHeldUntilTheReply) {
  const HttpRules rules = rules_of();
  HttpConnection connection(rules);
  connection.received(kBody);
  ASSERT_TRUE(connection.request());
  EXPECT_FALSE(connection.request());
  EXPECT_FALSE(connection.wants_bytes());
  EXPECT_EQ(connection.bytes_held(), 5u);
  connection.reply({});
  EXPECT_EQ(connection.bytes_held(), 0u);
  EXPECT_EQ(connection.state(), State::kReplying);
}

TEST(Connection, AnEndIsAfterTheReplyThatIsOwed) {
  const HttpRules rules = rules_of();
  HttpConnection connection(rules);
  connection.received(kGet);
  ASSERT_TRUE(connection.request());
  connection.end();
  EXPECT_FALSE(connection.is_over());
  connection.reply({});
  EXPECT_THAT(connection.unsent(), HasSubstr("Connection: close"));
  connection.sent(connection.unsent().size());
  EXPECT_TRUE(connection.is_over());
  HttpConnection idle(rules);
  idle.received("GET ");
  idle.end();
  EXPECT_TRUE(idle.is_over());
}

}  // namespace
}  // namespace penstock
