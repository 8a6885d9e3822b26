#include "consumer/handlers/http/http_answer.h"

#include <gtest/gtest.h>

#include "test_mailbox.h"

namespace penstock {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = time_from_ms(1'445'412'480'000);  // Wed, 21 Oct 2015 07:28:00 GMT

OutcomeValue outcome(long status, std::string retry_after = "", std::string body = "") {
  return read_http_response({status, std::move(retry_after), std::move(body)}, kNow).outcome;
}

TEST(HttpStatus, TwoHundredsAreDoneOrWhatTheBodySays) {
  for (const long status : {200, 201, 202, 204, 299}) as<Done>(outcome(status));
  EXPECT_EQ(as<Discard>(outcome(200, "", R"({"discard":"no"})")).reason, "no");
}

TEST(HttpStatus, GoneIsADiscard) {
  EXPECT_EQ(as<Discard>(outcome(410, "", "moved out")).reason, "HTTP status 410: \"moved out\"");
}

TEST(HttpStatus, BusyWithRetryAfterIsASnooze) {
  EXPECT_EQ(as<Snooze>(outcome(429, "7")).in, 7s);
  EXPECT_EQ(as<Snooze>(outcome(503, "0")).in, 0s);
  EXPECT_EQ(as<Snooze>(outcome(503, "Wed, 21 Oct 2015 07:28:30 GMT")).in, 30s);
}

TEST(HttpStatus, BusyWithoutRetryAfterIsARetry) {
  as<RetryLater>(outcome(429));
  as<RetryLater>(outcome(503, "soon"));
}

TEST(HttpStatus, AnythingElseIsARetryThatNamesIt) {
  for (const long status : {301, 400, 401, 404, 422, 500, 502, 504}) {
    const auto retry = as<RetryLater>(outcome(status, "7", R"({"ok":true})"));
    EXPECT_NE(retry.error.find(std::to_string(status)), std::string::npos);
    EXPECT_EQ(retry.error_class, std::to_string(status));
    EXPECT_EQ(retry.in, std::nullopt);
  }
}

TEST(RetryAfter, OfADatePastIsZero) {
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2015 07:27:59 GMT", kNow), 0s);
}

TEST(RetryAfter, IsCutToItsMaximum) {
  EXPECT_EQ(parse_retry_after("99999999999999999999999999", kNow), kMaxRetryAfter);
  EXPECT_EQ(parse_retry_after("9223372036854775807", kNow), kMaxRetryAfter);
  EXPECT_EQ(parse_retry_after("Wed, 21 Oct 2099 07:28:00 GMT", kNow), kMaxRetryAfter);
}

}  // namespace
}  // namespace penstock
