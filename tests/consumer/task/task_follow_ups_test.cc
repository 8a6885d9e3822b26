// Follow-ups: held to the rules of every record, and otherwise left as they were written.
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

TEST_F(Tasking, AFollowUpObeysTheRulesOfEveryRecord) {
  const std::string long_id(kMaxIdBytes + 1, 'i');
  const std::string records[] = {R"({"type":"t","args":{"x":1,"x":2}})",
                                 R"({"type":"t","id":")" + long_id + "\"}",
                                 R"({"type":"t","id":""})",
                                 R"({"type":"t","run_at":null})",
                                 R"({"type":"t","runat":1})",
                                 "{\"type\":\"t\",\"meta\":7}"};
  for (const std::string& bad : records) {
    const std::string id = "j" + std::to_string(&bad - records);
    job(id, id);
    start();
    end(id, Done{}, {{"", "", R"({"type":"t"})"}, {"", "", bad}});
    EXPECT_EQ(state(id, id), "retrying") << bad;
  }
  commit();
  EXPECT_TRUE(messages("penstock.mail").empty()) << "all of an outcome's jobs or none";
}

TEST_F(Tasking, AFollowUpIsProducedByteForByte) {
  const std::string rest = R"("args": {"x": 18446744073709551616, "a": 1.10},"meta":{"y":-0.0}})";
  job("acme", "a");
  start();
  end("a", Done{}, {{"", "", R"({"type":"t",)" + rest}});
  commit();
  ASSERT_EQ(messages("penstock.mail").size(), 1u);
  EXPECT_EQ(*messages("penstock.mail")[0].value, R"({"id":"a/1","type":"t",)" + rest);
}

}  // namespace
}  // namespace penstock
