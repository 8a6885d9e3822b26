#include "topics/record/event_record.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

TEST(EventRecord, HasTheMembersOfTheSpec) {
  EventRecord event{.event = EventKind::kRetrying,
                    .queue = "mail",
                    .id = "a",
                    .type = "t",
                    .account = "acme",
                    .attempt = 2,
                    .token = "0001",
                    .at = time_from_ms(0),
                    .instance = "host-1",
                    .reason = "status 500"};
  EXPECT_EQ(to_json(event),
            R"({"event":"retrying","queue":"mail","id":"a","type":"t","account":"acme",)"
            R"("attempt":2,"token":"0001","at":"1970-01-01T00:00:00.000Z","instance":"host-1",)"
            R"("reason":"status 500"})");
  event.reason = "";
  EXPECT_FALSE(nlohmann::json::parse(to_json(event)).contains("reason"));
}

TEST(EventRecord, IsGoodJsonWhateverAHandlerSaid) {
  EventRecord event{.event = EventKind::kDead, .reason = "a\xff\n\"b\""};
  EXPECT_EQ(nlohmann::json::parse(to_json(event))["reason"], "a? \"b\"");
}

TEST(EventKind, IsTerminalFromSucceededOn) {
  EXPECT_FALSE(is_terminal(EventKind::kAdmitted));
  EXPECT_FALSE(is_terminal(EventKind::kSnoozed));
  for (const auto kind : {EventKind::kSucceeded, EventKind::kDead, EventKind::kCancelled,
                          EventKind::kDuplicate, EventKind::kExpired}) {
    EXPECT_TRUE(is_terminal(kind)) << to_string(kind);
  }
}

}  // namespace
}  // namespace penstock
