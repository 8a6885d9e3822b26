#include "state/log/outbox.h"

#include <gtest/gtest.h>

#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

const Destination kTo{"penstock.mail", 3};
const Destination kOther{"penstock.mail.dead", 0};

struct FakeOutboxHost final : OutboxHost {
  struct Emitted {
    std::uint64_t number;
    Destination to;
    std::string value;
    std::string header, oldest;
    std::map<std::string, std::string> headers = {};
  };
  std::vector<Emitted> emitted;
  std::size_t room = 1'000'000;
  int renewals = 0;

  bool append_outbox(std::uint64_t number, const Destination& to,
                     const NewRecord& record) override {
    if (room == 0) return false;
    --room;
    emitted.push_back({number, to, std::string(record.value.value_or("(none)")),
                       std::string(record.headers.back().value.value_or("")), ""});
    EXPECT_EQ(record.headers.back().name, kMessageHeader);
    for (const HeaderView& one : record.headers)
      emitted.back().headers[std::string(one.name)] = one.value.value_or("");
    if (emitted.back().headers.contains(std::string(kOldestHeader)))
      emitted.back().oldest = emitted.back().headers[std::string(kOldestHeader)];
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
    outbox->save();
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
  outbox->save();
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

TEST_F(Posting, AMessageCarriesTheOldestNumberThatIsNotAcknowledged) {
  const auto oldest = [&] {
    std::vector<std::string> all;
    for (const auto& one : host.emitted) all.push_back(one.oldest);
    return all;
  };
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  EXPECT_EQ(oldest(), (std::vector<std::string>{"1", "1", "1"}));
  acknowledge(1);  // behind one that is not
  send("d");
  commit();
  EXPECT_EQ(oldest().back(), "1");
  acknowledge(0);
  send("e");
  commit();
  EXPECT_EQ(oldest().back(), "3");
  host.emitted.clear();
  outbox->emit_again();
  EXPECT_EQ(oldest(), (std::vector<std::string>{"3", "3", "3"}));
}

TEST_F(Posting, OnlyATaskIsToldTheOldestNumber) {
  send("a");
  send("b", kOther);
  commit();
  EXPECT_EQ(host.emitted[0].oldest, "1");
  EXPECT_EQ(host.emitted[1].oldest, "");
}

TEST_F(Posting, TheOldestNumberSurvivesARestore) {
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  acknowledge(0);
  commit();
  restart();
  ASSERT_EQ(host.emitted.size(), 2u);
  EXPECT_EQ(host.emitted[0].oldest, "2");
  EXPECT_EQ(host.emitted[1].oldest, "2");
}

// A receiver would not take the second one, and it would not come again.
TEST_F(Posting, OffsetsThatDoNotGrowAreADoubt) {
  send("a");
  send("b");
  commit();
  outbox->appended(host.emitted[0].number, {Offset{7}, {}});
  outbox->appended(host.emitted[1].number, {Offset{5}, {}});
  EXPECT_EQ(host.renewals, 1);
  EXPECT_EQ(rows(), 1u);
  outbox->emit_again();
  outbox->appended(host.emitted[2].number, {Offset{6}, {}});  // of a topic that was made anew
  EXPECT_EQ(host.renewals, 1);
  EXPECT_EQ(rows(), 0u);
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

TEST_F(Posting, WhatADeadTopicRefusesAsTooLargeIsCutToItsHeadAndTheProducerStays) {
  const std::string large(3 << 20, 'x');
  outbox->send(kOther, {"key", large, {{"penstock-reason", "bad_json"}, {"a", "b"}}}, seq + 1);
  commit();
  outbox->appended(host.emitted[0].number, {{}, "too large", Refusal::kTooLarge});
  EXPECT_EQ(host.renewals, 0) << "it is an answer, not a doubt";
  outbox->pump();
  ASSERT_EQ(host.emitted.size(), 2u);
  EXPECT_EQ(host.emitted[1].value, large.substr(0, large.size() / 2));
  EXPECT_EQ(host.emitted[1].headers.at("penstock-cut"), std::to_string(large.size()));
  EXPECT_EQ(host.emitted[1].header, host.emitted[0].header);
  for (std::size_t i = 1; host.emitted[i].value.size() > 100'000; ++i) {
    outbox->appended(host.emitted[i].number, {{}, "too large", Refusal::kTooLarge});
    outbox->pump();
    ASSERT_EQ(host.emitted.size(), i + 2);
  }
  acknowledge(host.emitted.size() - 1);
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(host.emitted.back().headers.at("penstock-cut"), std::to_string(large.size()));
}

TEST_F(Posting, WhereNoTaskReceivesEachIsSentOnceWhateverBecomesOfTheOnesBeforeIt) {
  for (const char* value : {"refused", "a", "b"}) send(value, kOther);
  commit();
  outbox->appended(host.emitted[0].number, {{}, "no such topic", Refusal::kNotInLog});
  acknowledge(1);
  acknowledge(2);
  EXPECT_EQ(rows(), 1u);
  host.emitted.clear();
  outbox->emit_again();
  outbox->tick(Instant(std::chrono::seconds(9)));
  EXPECT_EQ(host.values(), std::vector<std::string>{"refused"});
}

TEST_F(Posting, WhereNoTaskReceivesTheMessagesOfACommitShareARowUntilAllAreAcknowledged) {
  for (const char* value : {"a", "b", "c"}) send(value, kOther);
  send("d");
  commit();
  EXPECT_EQ(rows(), 2u);
  for (const std::size_t index : {3u, 0u, 2u}) acknowledge(index);
  commit();
  EXPECT_EQ(rows(), 1u);
  acknowledge(1);
  commit();
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(outbox->pending(), 0u);
}

TEST_F(Posting, ARestoreEmitsASharedRowUnderTheSameNumbers) {
  for (const char* value : {"a", "b", "c"}) send(value, kOther);
  commit();
  send("d", kOther);
  commit();
  acknowledge(1);
  commit();
  restart();
  // Also "b": which messages of a row were acknowledged is not kept.
  EXPECT_EQ(host.values(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(host.emitted.back().header, "penstock.mail/0@5>penstock.mail.dead/0#4");
  for (std::size_t index = 0; index < 4; ++index) acknowledge(index);
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(Posting, ASharedRowIsClosedWhenItIsLarge) {
  const std::string half(Outbox::kMaxSharedRowBytes / 2, 'x');
  for (int i = 0; i < 4; ++i) send(half, kOther);
  commit();
  EXPECT_EQ(rows(), 2u);
}

TEST_F(Posting, NumbersGoOnAfterSeveralMessagesOfOneCommit) {
  for (const char* value : {"a", "b", "c"}) send(value, kOther);
  commit();
  for (std::size_t index = 0; index < 3; ++index) acknowledge(index);
  commit();
  restart();
  send("d", kOther);
  commit();
  EXPECT_EQ(host.emitted.back().header, "penstock.mail/0@5>penstock.mail.dead/0#4");
}

TEST_F(Posting, WhatIsRefusedGoesAgainAfterAGrowingPauseWithAllBehindItWhereATaskReceives) {
  Instant time{std::chrono::seconds(100)};
  outbox->tick(time);
  for (const char* value : {"a", "b", "c"}) send(value);
  commit();
  acknowledge(2);
  outbox->appended(host.emitted[1].number, {{}, "no such topic", Refusal::kNotInLog});
  EXPECT_EQ(host.renewals, 0);
  host.emitted.clear();
  outbox->tick(time);
  EXPECT_TRUE(host.emitted.empty());
  time += DeliveryWatch::kFirstPause;
  outbox->tick(time);
  EXPECT_EQ(host.values(), (std::vector<std::string>{"b", "c"}));
  outbox->appended(host.emitted[0].number, {{}, "no such topic", Refusal::kNotInLog});
  host.emitted.clear();
  time += DeliveryWatch::kFirstPause;
  outbox->tick(time);
  EXPECT_TRUE(host.emitted.empty()) << "longer than the first";
  time += DeliveryWatch::kFirstPause;
  outbox->tick(time);
  EXPECT_EQ(host.values(), (std::vector<std::string>{"b", "c"}));
}

TEST_F(Posting, WhatIsNotDeliveredForLongIsLateWithItsTopicAndTheReason) {
  const auto late = [&] {
    std::string text;
    outbox->each_late([&](const Destination& to, const Outbox::Late& one) {
      text += to.topic + " " + std::to_string(one.messages) + " " + std::string(one.error);
    });
    return text;
  };
  Instant time{std::chrono::seconds(100)};
  send("a", kOther);
  send("b", kOther);
  outbox->tick(time);
  time += 2 * DeliveryWatch::kLateAfter;
  outbox->tick(time);
  EXPECT_EQ(late(), "") << "it waits for its commit";
  commit();
  outbox->tick(time);
  outbox->appended(host.emitted[0].number, {{}, "no such topic", Refusal::kNotInLog});
  time += DeliveryWatch::kLateAfter;
  outbox->tick(time);
  EXPECT_EQ(late(), "penstock.mail.dead 2 no such topic");
  acknowledge(1);
  outbox->tick(time);
  EXPECT_EQ(late(), "penstock.mail.dead 1 no such topic") << "the other is still not there";
  acknowledge(host.emitted.size() - 1);
  outbox->tick(time);
  EXPECT_EQ(late(), "");
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

TEST_F(Posting, IsFullOfBytesUntilTheyAreAcknowledged) {
  const std::string large(1 << 20, 'x');
  for (std::size_t i = 0; i < Outbox::kMaxPendingBytes / large.size() - 1; ++i) send(large);
  EXPECT_FALSE(outbox->full());
  send(large);
  EXPECT_TRUE(outbox->full());
  commit();
  acknowledge(0);
  EXPECT_FALSE(outbox->full());
  for (std::size_t i = 1; i < host.emitted.size(); ++i) acknowledge(i);
  EXPECT_EQ(outbox->pending_bytes(), 0u);
}

TEST_F(Posting, WhatARestoreFindsCountsToo) {
  const std::string large(1 << 20, 'x');
  for (std::size_t i = 0; i < Outbox::kMaxPendingBytes / large.size(); ++i) send(large);
  commit();
  restart();
  EXPECT_TRUE(outbox->full());
}

}  // namespace
}  // namespace penstock
