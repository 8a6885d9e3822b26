// The page and its assets, over a real connection.
#include "tests/api/fake_source.h"

namespace penstock {
namespace {

using Page = ApiTest;

TEST_F(Page, IsServedWithAStrictPolicyAndATag) {
  const auto result = get("/");
  ASSERT_EQ(result->status, 200);
  EXPECT_THAT(result->get_header_value("Content-Security-Policy"),
              testing::HasSubstr("script-src 'self'"));
  EXPECT_THAT(result->body, testing::HasSubstr("src=\"assets/page.js\""));
  auto to = client();
  const std::string tag = result->get_header_value("ETag");
  EXPECT_EQ(to.Get("/", {{"If-None-Match", tag}})->status, 304);
  EXPECT_EQ(get("/assets/page.js")->status, 200);
  EXPECT_EQ(get("/assets/nothing.js")->status, 404);
}

}  // namespace
}  // namespace penstock
