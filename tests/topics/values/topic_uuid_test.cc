#include "topics/values/topic_uuid.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Compared with org.apache.kafka.common.Uuid of Kafka 4.1.
TEST(TopicUuid, IsWrittenAsKafkasToolsWriteIt) {
  EXPECT_EQ(to_text({0, 1}), "AAAAAAAAAAAAAAAAAAAAAQ");
  EXPECT_EQ(to_text({0x0123456789abcdefULL, 0xfedcba9876543210ULL}), "ASNFZ4mrze_-3LqYdlQyEA");
}

TEST(TopicUuid, OneThatIsNotKnownIsDifferentFromNone) {
  EXPECT_FALSE(are_different({}, {1, 2}));
  EXPECT_FALSE(are_different({1, 2}, {}));
  EXPECT_FALSE(are_different({1, 2}, {1, 2}));
  EXPECT_TRUE(are_different({1, 2}, {1, 3}));
}

}  // namespace
}  // namespace penstock
