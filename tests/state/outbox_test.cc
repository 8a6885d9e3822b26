#include "state/outbox.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "state/keys.h"
#include "state/memory_store.h"

namespace penstock {
namespace {

const Destination kTo{"penstock.mail", 3};
const Destination kOther{"penstock.mail.dead", 0};

struct FakeOutboxHost final : OutboxHost {
  struct Emitted {
    std::uint64_t number;
    Destination to;
    std::string value;
    std::string header;
  };
  std::vector<Emitted> emitted;
  std::size_t room = 1'000'000;
  int renewals = 0;

  bool append_outbox(std::uint64_t number, const Destination& to,
                     const NewRecord& record) override {
    if (room == 0) return false;
    --room;
    emitted.push_back({number, to, std::string(record.value.value_or("(none)")),
                       std::string(record.headers.back().value)});
    EXPECT_EQ(record.headers.back().name, kMessageHeader);
    return true;
  }
  void renew_outbox() override { ++renewals; }

  [[nodiscard]] std::vector<std::string> values() const {
    std::vector<std::string> values;
    for (const Emitted& one : emitted) values.push_back(one.value);
    return values;
  }
};

// An outbox over a store, and commits that count when the test says so.
struct Posting : testing::Test {
  MemoryStore store;
  std::unique_ptr<View> view = std::make_unique<View>(store);
  FakeOutboxHost host;
  std::unique_ptr<Outbox> outbox = std::make_unique<Outbox>(*view, host);
  std::uint64_t seq = 0;

  Posting() { outbox->restore("penstock.mail/0@5"); }
  void send(const std::string& value, const Destination& to = kTo) {
    outbox->send(to, {"key", value, {{"traceparent", "00-1"}}}, seq + 1);
  }
  void commit() {
    const std::string rows(view->batch().bytes());
    view->sent(++seq);
    ASSERT_TRUE(
        store.apply(rows, {Offset{static_cast<std::int64_t>(seq)}, Offset{0}, seq, 0, false}));
    view->applied(seq);
    outbox->counted(seq);
  }
  void acknowledge(std::size_t index) {
    outbox->appended(host.emitted[index].number, {Offset{static_cast<std::int64_t>(index)}, {}});
  }
  [[nodiscard]] std::size_t rows() {
    std::size_t count = 0;
    view->scan("o", "p", [&](auto, auto) { return ++count > 0; });
    return count;
  }
  void restart() {
    view = std::make_unique<View>(store);
    host = {};
    outbox = std::make_unique<Outbox>(*view, host);
    outbox->restore("penstock.mail/0@5");
  }
};

TEST_F(Posting, NothingLeavesBeforeItsCommitCounts) {
  send("a");
  outbox->pump();
  EXPECT_TRUE(host.emitted.empty());
  commit();
  ASSERT_EQ(host.values(), std::vector<std::string>{"a"});
  EXPECT_EQ(host.emitted[0].to, kTo);
  EXPECT_EQ(host.emitted[0].header, "penstock.mail/0@5>penstock.mail/3#1");
}

TEST_F(Posting, ARestoreInPiecesLoadsEveryMessageOnceAndInOrder) {
  std::vector<std::string> values;
  for (int i = 0; i < 10; ++i) {
    values.push_back(std::to_string(i));
    send(values.back());
  }
  const std::string large(Outbox::kMaxRestoredBytesPerStep, 'x');
  for (int i = 0; i < 2; ++i) send(large, kOther);
  const std::string rows(view->batch().bytes());
  view->sent(++seq);
  ASSERT_TRUE(store.apply(rows, {Offset{1}, Offset{0}, seq, 0, false}));
  view = std::make_unique<View>(store);
  host = {};
  outbox = std::make_unique<Outbox>(*view, host);
  outbox->begin_restore("penstock.mail/0@5");
  std::string from;
  bool more = true;
  for (std::size_t loaded = 0; more; loaded = outbox->pending()) {
    more = outbox->restore_some(from, 3);
    EXPECT_LE(outbox->pending() - loaded, 3u);
    outbox->pump();
  }
  std::vector<std::string> emitted;
  for (const auto& one : host.emitted) {
    if (one.to == kTo) emitted.push_back(one.value);
  }
  EXPECT_EQ(emitted, values);
  EXPECT_EQ(outbox->pending(), 12u);
  send("next");
  commit();
  EXPECT_EQ(host.emitted.back().header, "penstock.mail/0@5>penstock.mail/3#11");
}

TEST_F(Posting, NumbersHaveNoGapsPerDestination) {
  send("a");
  send("x", kOther);
  send("b");
  commit();
  send("c");
  commit();
  std::vector<std::string> headers;
  for (const auto& one : host.emitted) {
    if (one.to == kTo) headers.push_back(one.header.substr(one.header.rfind('#')));
  }
  EXPECT_EQ(headers, (std::vector<std::string>{"#1", "#2", "#3"}));
}

TEST_F(Posting, RowsGoInOrderWhenTheyAreAcknowledged) {
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  acknowledge(1);
  EXPECT_EQ(rows(), 3u);  // the one before it is not acknowledged yet
  acknowledge(0);
  EXPECT_EQ(rows(), 1u);
  acknowledge(2);
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(outbox->pending(), 0u);
}

TEST_F(Posting, OnAnyDoubtTheProducerIsRenewedAndEverythingIsEmittedAgainFromTheOldestRow) {
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  acknowledge(1);
  outbox->appended(host.emitted[0].number, {{}, "timed out"});
  EXPECT_EQ(host.renewals, 1);
  host.emitted.clear();
  outbox->emit_again();
  EXPECT_EQ(host.values(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Posting, AnAcknowledgementWithoutOffsetIsADoubt) {
  send("a");
  commit();
  outbox->appended(host.emitted[0].number, {{}, {}});
  EXPECT_EQ(host.renewals, 1);
  EXPECT_EQ(rows(), 1u);
}

TEST_F(Posting, AnAcknowledgementOfAnEarlierProducerChangesNothing) {
  send("a");
  commit();
  outbox->emit_again();
  acknowledge(0);
  EXPECT_EQ(rows(), 1u);
  acknowledge(1);
  EXPECT_EQ(rows(), 0u);
}

TEST_F(Posting, AFullBufferIsGoneOnWithInOrder) {
  for (const char* value : {"a", "b", "c"}) send(value);
  host.room = 1;
  commit();
  EXPECT_EQ(host.values(), std::vector<std::string>{"a"});
  host.room = 10;
  outbox->pump();
  EXPECT_EQ(host.values(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Posting, ARestoreEmitsWhatIsNotAcknowledgedUnderTheSameNumbers) {
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  acknowledge(0);
  commit();
  restart();
  EXPECT_EQ(host.values(), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(host.emitted[0].header, "penstock.mail/0@5>penstock.mail/3#2");
  EXPECT_EQ(outbox->pending(), 2u);
}

TEST_F(Posting, NumbersGoOnAfterARestoreAlsoWhenEveryRowIsGone) {
  send("a");
  commit();
  acknowledge(0);
  commit();
  restart();
  EXPECT_TRUE(host.emitted.empty());
  send("b");
  commit();
  EXPECT_EQ(host.emitted.at(0).header, "penstock.mail/0@5>penstock.mail/3#2");
}

TEST_F(Posting, KeyValueAndHeadersSurviveARestoreAlsoWhenAbsent) {
  outbox->send(kTo, {std::nullopt, std::nullopt, {}}, seq + 1);
  commit();
  restart();
  EXPECT_EQ(host.values(), std::vector<std::string>{"(none)"});
}

TEST_F(Posting, IsFullAtItsMaximum) {
  for (std::size_t i = 0; i < Outbox::kMaxPending - 1; ++i) send("a");
  EXPECT_FALSE(outbox->full());
  send("a");
  EXPECT_TRUE(outbox->full());
}

// -- The receiver

TEST(OutboxTake, TakesOnlyTheNumberBehindTheLast) {
  MemoryStore store;
  View view(store);
  const auto take = [&](std::uint64_t seq) { return Outbox::take(view, {"a/0@1", seq}); };
  EXPECT_TRUE(take(1));
  EXPECT_FALSE(take(1));
  EXPECT_FALSE(take(3));
  EXPECT_TRUE(take(2));
  EXPECT_TRUE(take(3));
  EXPECT_TRUE(Outbox::take(view, {"b/0@1", 1}));  // each source by itself
}

// Whatever a producer does with the order, as long as everything comes again after the last doubt.
RC_GTEST_PROP(OutboxTake, EveryMessageIsTakenOnceAndInOrderUnderGoBackN, ()) {
  MemoryStore store;
  View view(store);
  const std::uint64_t messages = *rc::gen::inRange<std::uint64_t>(1, 20);
  std::vector<std::uint64_t> taken;
  const auto arrive = [&](std::uint64_t seq) {
    if (Outbox::take(view, {"a/0@1", seq})) taken.push_back(seq);
  };
  for (int left = *rc::gen::inRange(0, 100); left > 0; --left) {
    arrive(*rc::gen::inRange<std::uint64_t>(1, messages + 1));
  }
  for (std::uint64_t seq = 1; seq <= messages; ++seq) arrive(seq);
  RC_ASSERT(taken.size() == messages);
  for (std::uint64_t i = 0; i < messages; ++i) RC_ASSERT(taken[i] == i + 1);
}

TEST(MessageHeader, IsParsedAndRubbishIsNot) {
  const auto origin = parse_message_header("penstock.mail/0@5>penstock.mail/3#12");
  ASSERT_TRUE(origin.has_value());
  EXPECT_EQ(origin->source, "penstock.mail/0@5");
  EXPECT_EQ(origin->seq, 12u);
  for (const char* bad : {"", "a", "a>b", "a>b#", "a>b#x", "a>b#0", "a#1>b", "a>b#1x", "a>b#-1"}) {
    EXPECT_FALSE(parse_message_header(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace penstock
