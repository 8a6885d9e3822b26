#include "topics/names.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(QueueNames, AreThoseOfTheSpec) {
  const QueueNames mail("penstock", "mail");
  EXPECT_EQ(mail.queue(), "mail");
  EXPECT_EQ(mail.topic(), "penstock.mail");
  EXPECT_EQ(mail.state_topic(), "penstock.mail.state");
  EXPECT_EQ(mail.dead_topic(), "penstock.mail.dead");
  EXPECT_EQ(mail.events_topic(), "penstock.mail.events");
  EXPECT_EQ(mail.group(), "penstock.mail");
  EXPECT_EQ(control_topic("p"), "p.control");
  EXPECT_EQ(slots_topic("p"), "p.slots");
  EXPECT_EQ(slots_state_topic("p"), "p.slots.state");
}

TEST(QueueNames, HaveOnlyTheLettersOfATopic) {
  for (const char* name : {"mail", "a", "A.b_c-9", "state", ".", "a.state.b", "controls"}) {
    EXPECT_TRUE(check_queue_name("penstock", name)) << name;
  }
  for (const char* name : {"", "a b", "a/b", "\xC3\xA9", "a\n"}) {
    EXPECT_FALSE(check_queue_name("penstock", name)) << name;
  }
  EXPECT_FALSE(check_queue_name("", "mail"));
  EXPECT_FALSE(check_prefix("pen stock"));
}

TEST(QueueNames, CannotMeetPenstocksOwnTopics) {
  for (const char* name :
       {"control", "slots", "mail.state", "mail.dead", "mail.events", ".state"}) {
    EXPECT_FALSE(check_queue_name("penstock", name)) << name;
  }
}

TEST(QueueNames, LeaveRoomForEverySuffixAndEveryPlace) {
  const std::string longest(kMaxQueueTopicBytes - 2, 'q');
  ASSERT_TRUE(check_queue_name("p", longest));
  EXPECT_FALSE(check_queue_name("p", longest + "q"));
  const QueueNames names("p", longest);
  EXPECT_LE(names.events_topic().size(), kMaxTopicBytes);
  EXPECT_LE(place_name(names.topic(), INT32_MAX, Offset{INT64_MAX}).size(), 255U);
}

TEST(PlaceName, IsTopicPartitionOffset) {
  EXPECT_EQ(place_name("penstock.mail", 3, Offset{42}), "penstock.mail/3/42");
}

}  // namespace
}  // namespace penstock
