#include "consumer/handlers/http/webhook_signature.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "test_mailbox.h"
#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string sign(const char* secrets, std::string_view body = R"({"test": 2432232314})") {
  return webhook_signature(parse_secrets(secrets).value(), "msg_p5jXN8AQM9LWM0D4loKWxJek",
                           1614265330, body);
}

// The example of the Standard Webhooks specification.
TEST(WebhookSignature, IsThatOfTheStandard) {
  EXPECT_EQ(sign(kSecret), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSignature, DependsOnTheBody) { EXPECT_NE(sign(kSecret), sign(kSecret, "{}")); }

TEST(WebhookSignature, TakesASecretWithoutPrefixAsItIs) {
  EXPECT_EQ(parse_secrets(" plain secret \r\n").value(), std::vector<std::string>{"plain secret"});
}

TEST(WebhookSignature, IsGivenForEachSecret) {
  const std::string both = sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n\nother\n");
  EXPECT_EQ(both, sign(kSecret) + " " + sign("other"));
}

TEST(WebhookSecret, DecodesPaddedAndUnpaddedBase64) {
  EXPECT_EQ(parse_secrets("whsec_YQ==").value(), std::vector<std::string>{"a"});
  EXPECT_EQ(parse_secrets("whsec_YWI").value(), std::vector<std::string>{"ab"});
  EXPECT_EQ(parse_secrets("whsec_YWJj").value(), std::vector<std::string>{"abc"});
}

TEST(WebhookSecret, IsRefusedWhenItIsNone) {
  for (const char* text : {"", "\n \n", "whsec_", "whsec_!!!!", "whsec_A"}) {
    EXPECT_FALSE(parse_secrets(text).has_value()) << text;
  }
}

TEST(WebhookSecret, ComesFromAFileWhoseTroubleIsNamed) {
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() + "/secret";
  std::ofstream(path) << kSecret << "\n";
  EXPECT_EQ(load_secrets(path).value().size(), 1u);
  std::filesystem::remove(path);
  const auto missing = load_secrets(path);
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find(path.string()), std::string::npos);
}

TEST(WebhookId, NamesTheWorkAndNothingElse) {
  AttemptRequest attempt = request(7);
  const std::string id = webhook_id(attempt);
  EXPECT_EQ(id, "mail/acme/job-7");
  attempt.attempt = 2;
  attempt.key.token.number = 99;
  EXPECT_EQ(webhook_id(attempt), id) << "a retry is the same work";
  attempt.cursor = "1";
  const std::string first = webhook_id(attempt);
  EXPECT_NE(first, id) << "another iteration is other work";
  attempt.cursor = "2";
  EXPECT_NE(webhook_id(attempt), first);
}

TEST(WebhookId, OfABatchNamesItsItems) {
  AttemptRequest attempt = request(7);
  attempt.items = {{"a", "{}", 1, {}}, {"b", "{}", 1, {}}};
  const std::string id = webhook_id(attempt);
  attempt.items[1].attempt = 2;
  EXPECT_EQ(webhook_id(attempt), id);
  attempt.items[1].id = "c";
  EXPECT_NE(webhook_id(attempt), id) << "with another item it is other work";
}

TEST(WebhookId, FitsIntoAHeader) {
  AttemptRequest attempt = request(7);
  attempt.id = "a/b\r\nx: y";
  attempt.account = "Zürich";
  EXPECT_EQ(webhook_id(attempt), "mail/Z%C3%BCrich/a%2Fb%0D%0Ax:%20y");
}

}  // namespace
}  // namespace penstock
