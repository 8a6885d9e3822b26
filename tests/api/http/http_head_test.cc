#include "api/http/http_head.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr const char* kHost = "Host: 127.0.0.1\r\n";

tl::expected<HttpHead, HttpFault> head_of(const std::string& line, const std::string& fields = "") {
  return parse_http_head(line + "\r\n" + kHost + fields + "\r\n");
}

int status_of(const std::string& line, const std::string& fields = "") {
  const auto head = head_of(line, fields);
  return head ? 0 : head.error().status;
}

TEST(HttpHeadOf, AQueryIsDecodedAndAPathIsNot) {
  const auto head = head_of("GET /v1/a%2Fb+c?x=1%262&y=a+b&z&x=3 HTTP/1.1");
  ASSERT_TRUE(head) << head.error().detail;
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->path, "/v1/a%2Fb+c");
  EXPECT_EQ(head->parameters.count("x"), 2u);
  EXPECT_EQ(head->parameters.find("x")->second, "1&2");
  EXPECT_EQ(head->parameters.find("y")->second, "a b");
  EXPECT_EQ(head->parameters.find("z")->second, "");
}

TEST(HttpHeadOf, ATargetThatNamesAHostGoesBeforeTheField) {
  const auto head = head_of("GET http://evil.example/v1 HTTP/1.1");
  ASSERT_TRUE(head) << head.error().detail;
  EXPECT_EQ(head->field("host"), "evil.example");
  EXPECT_EQ(head->path, "/v1");
}

TEST(HttpHeadOf, WhatIsNoRequestLineIsRefused) {
  for (const char* const line : {"", "GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ",
                                 "G(T / HTTP/1.1", "GET v1 HTTP/1.1", "GET /%4 HTTP/1.1",
                                 "GET /?a=%g0 HTTP/1.1", "GET /\x01 HTTP/1.1", "GET * HTTP/1.1"}) {
    EXPECT_EQ(status_of(line) / 100, line == std::string_view("GET / HTTP/1.1 ") ? 5 : 4) << line;
  }
  EXPECT_EQ(status_of("GET / HTTP/0.9"), 505);
}

TEST(HttpHeadOf, TheEndOfTheBodyIsKnownOrTheRequestIsRefused) {
  const std::string post = "POST / HTTP/1.1";
  EXPECT_EQ(head_of(post)->body, HttpBody::kNone);
  EXPECT_EQ(head_of(post, "content-length: 0\r\n")->body, HttpBody::kNone);
  EXPECT_EQ(head_of(post, "CONTENT-LENGTH:\t12 \r\n")->body_bytes, 12u);
  EXPECT_EQ(head_of(post, "Transfer-Encoding: Chunked\r\n")->body, HttpBody::kChunked);
  for (const char* const fields :
       {"Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1, 1\r\n",
        "Content-Length: -1\r\n", "Content-Length: +1\r\n", "Content-Length: 1 2\r\n",
        "Content-Length:\r\n", "Content-Length: 0x1\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Content-Length : 1\r\n",
        "A: b\r\n Content-Length: 1\r\n", "A: b\nContent-Length: 1\r\n", ": a\r\n", "A\r\n",
        "A: \x01\r\n", "Host: other\r\n"}) {
    EXPECT_EQ(status_of(post, fields), 400) << fields;
  }
  EXPECT_EQ(status_of(post, "Transfer-Encoding: chunked, chunked\r\n"), 501);
  EXPECT_EQ(status_of(post, "Transfer-Encoding: \"chunked\"\r\n"), 501);
  EXPECT_EQ(status_of("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(status_of(post, "Content-Length: 99999999999999999999999\r\n"), 413);
}

TEST(HttpHeadOf, AConnectionGoesOnUnlessOneSideEndsIt) {
  EXPECT_TRUE(head_of("GET / HTTP/1.1")->keep_alive);
  EXPECT_FALSE(head_of("GET / HTTP/1.1", "Connection: upgrade, Close\r\n")->keep_alive);
  EXPECT_FALSE(head_of("GET / HTTP/1.0")->keep_alive);
  EXPECT_TRUE(head_of("GET / HTTP/1.0", "Connection: Keep-Alive\r\n")->keep_alive);
}

TEST(HttpHeadOf, AnExpectationIsKnownOrRefused) {
  EXPECT_TRUE(head_of("PUT / HTTP/1.1", "Expect: 100-Continue\r\n")->expects_continue);
  EXPECT_EQ(status_of("PUT / HTTP/1.1", "Expect: more\r\n"), 417);
}

TEST(HttpHeadOf, TooManyFieldsAreRefused) {
  std::string fields;
  for (std::size_t i = 1; i < kMaxHeadFields; ++i) fields += "A: b\r\n";
  EXPECT_EQ(status_of("GET / HTTP/1.1", fields), 0);
  EXPECT_EQ(status_of("GET / HTTP/1.1", fields + "A: b\r\n"), 431);
}

}  // namespace
}  // namespace penstock
