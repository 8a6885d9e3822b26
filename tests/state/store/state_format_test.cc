#include "state/store/state_format.h"

#include <gtest/gtest.h>

#include <string>

#include "state/rows/encoding.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

struct StateFormats : testing::Test {
  MemoryStore store;
  View view{store};

  void written_in(std::uint32_t format) {
    std::string bytes;
    put_u32(bytes, format);
    view.put(keys::kMetaFormat, bytes);
  }
  // What the rows say.
  [[nodiscard]] std::uint32_t format() {
    std::string bytes;
    return view.get(keys::kMetaFormat, &bytes) ? Cursor(bytes).u32() : 0;
  }
  [[nodiscard]] std::string refusal(std::uint32_t newest) {
    const Status status = StateFormat::check(view, "mail", newest);
    return status ? std::string() : status.error().message;
  }
};

TEST_F(StateFormats, TheFirstReleaseHasFormatOne) {
  EXPECT_EQ(kNewestFormat, 1u);
  StateFormat format(view, kNewestFormat);
  EXPECT_EQ(refusal(kNewestFormat), "");
  format.restored();
  EXPECT_EQ(format.written(), 1u);
  EXPECT_EQ(this->format(), 1u);
  EXPECT_EQ(refusal(kNewestFormat), "");
}

TEST_F(StateFormats, ANewerWorkerReadsTheOlderStateAndWritesItUntilTheUpgradeIsFinished) {
  written_in(1);
  EXPECT_EQ(refusal(2), "");
  StateFormat format(view, 2);
  format.restored();
  EXPECT_EQ(format.written(), 1u);
  EXPECT_EQ(this->format(), 1u);
  format.finish(0);  // nobody has said anything
  format.finish(1);  // the upgrade before this one
  EXPECT_EQ(this->format(), 1u);
  format.finish(2);
  EXPECT_EQ(format.written(), 2u);
  EXPECT_EQ(this->format(), 2u);
}

TEST_F(StateFormats, AnOlderWorkerTakesOverBeforeTheUpgradeIsFinishedAndIsRefusedAfterIt) {
  written_in(1);
  StateFormat format(view, 2);
  format.restored();
  EXPECT_EQ(refusal(1), "");
  format.finish(2);
  EXPECT_EQ(
      refusal(1),
      "the state of queue \"mail\" has format 2, this version reads 1: its upgrade to a later "
      "version was finished, and cannot be undone. Run that version here too");
}

TEST_F(StateFormats, AFinishedUpgradeIsNotUndone) {
  written_in(2);
  StateFormat format(view, 2);
  format.restored();
  for (const std::uint32_t said : {0u, 1u}) format.finish(said);
  EXPECT_EQ(this->format(), 2u);
}

TEST_F(StateFormats, AWorkerWritesNoFormatThatItDoesNotKnow) {
  written_in(1);
  StateFormat format(view, 2);
  format.restored();
  format.finish(7);
  EXPECT_EQ(this->format(), 2u);
}

TEST_F(StateFormats, AStateThatBeginsCanBeReadByTheReleaseBefore) {
  StateFormat format(view, 3);
  format.restored();
  EXPECT_EQ(this->format(), 2u);
}

TEST_F(StateFormats, AStateTwoFormatsBackIsRefusedWithTheWayOut) {
  written_in(1);
  EXPECT_EQ(refusal(3),
            "the state of queue \"mail\" has format 1, this version reads 2 and 3: run the version "
            "between on all workers first, and with it `penstock upgrade finish`");
}

}  // namespace
}  // namespace penstock
