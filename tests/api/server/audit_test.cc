#include "api/server/audit.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Audit, ALineSaysWhoDidWhatFromWhere) {
  ApiRequest request;
  request.method = "POST";
  request.path = "/v1/queues/mail/pause";
  request.parameters = {{"account", "acme\n"}};
  request.caller = {.name = "ops", .address = "192.0.2.7"};
  EXPECT_EQ(audit_line("pause", request, 200, time_from_ms(0)),
            R"({"audit":"pause","at":"1970-01-01T00:00:00.000Z","who":"ops","from":"192.0.2.7",)"
            R"("method":"POST","path":"/v1/queues/mail/pause","query":{"account":"acme\n"},)"
            R"("status":200})");
}

}  // namespace
}  // namespace penstock
