// A rolling upgrade, with workers that know format 1 and workers that know format 2 as well.
#include <gtest/gtest.h>

#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "tests/consumer/task/task_fixture.h"

namespace penstock {
namespace {

struct Upgrading : Tasking {
  Control control;

  // A worker that knows the formats up to this one takes over.
  void taken_over_by(std::uint32_t newest) {
    newest_format = newest;
    restart();
    task->set_control(&control, now());
  }
  [[nodiscard]] bool may_take_over(std::uint32_t newest) {
    View rows(store);
    return Task::check_state(rows, queue, newest).has_value();
  }
  void finish(const std::string& queue_name, std::uint32_t format) {
    ASSERT_TRUE(control.apply(format_key(queue_name), format_json(format)));
    task->set_control(&control, now());
  }
  [[nodiscard]] std::uint32_t format() {
    std::string bytes;
    return View(store).get(keys::kMetaFormat, &bytes) ? Cursor(bytes).u32() : 0;
  }
};

TEST_F(Upgrading, CanBeUndoneUntilItIsFinished) {
  taken_over_by(1);
  job("acme", "a");
  commit();
  ASSERT_TRUE(may_take_over(2));
  taken_over_by(2);
  job("acme", "b");
  commit();
  EXPECT_EQ(format(), 1u);
  ASSERT_TRUE(may_take_over(1));
  taken_over_by(1);  // back
  EXPECT_EQ(start(1), "a");
  end("a");
  EXPECT_EQ(start(1), "b");
  end("b");
  commit();
  EXPECT_EQ(format(), 1u);
}

TEST_F(Upgrading, WritesTheNewFormatOnceItIsFinished) {
  taken_over_by(1);
  job("acme", "a");
  commit();
  taken_over_by(2);
  finish("mail", 2);
  EXPECT_TRUE(task->dirty());
  commit();
  EXPECT_EQ(format(), 2u);
  EXPECT_FALSE(may_take_over(1));
  EXPECT_TRUE(may_take_over(2));
  taken_over_by(2);
  EXPECT_EQ(start(), "a") << "what was written before is read";
}

TEST_F(Upgrading, IsFinishedForQueuesThatAreNamed) {
  taken_over_by(2);
  finish("post", 2);
  commit();
  EXPECT_EQ(format(), 1u);
}

TEST_F(Upgrading, IsFinishedForStatesThatBeginLater) {
  newest_format = 2;
  make();
  finish("mail", 2);
  commit();
  EXPECT_EQ(format(), 2u);
}

TEST_F(Upgrading, IsNoBusinessOfAWorkerThatDoesNotKnowTheFormat) {
  taken_over_by(1);
  finish("mail", 2);
  commit();
  EXPECT_EQ(format(), 1u);
  EXPECT_TRUE(may_take_over(1));
}

}  // namespace
}  // namespace penstock
