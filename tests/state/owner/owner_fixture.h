// An owner with a host that writes down what it is asked, and a log kept by hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "state/owner/owner.h"
#include "state/store/memory_store.h"
#include "tests/state/log/log_writer.h"

namespace penstock {

struct FakeOwnerHost final : StateLog, OwnerHost {
  struct Append {
    std::uint64_t number;
    std::string record;
  };
  int bounds_asked = 0, restored_calls = 0, released_calls = 0;
  std::optional<Offset> reading;
  std::vector<Append> appends;
  std::vector<std::uint64_t> counted_seqs;
  std::string dropped_reason, broken_reason, refused_reason;
  bool buffer_full = false, is_good_moment = true;

  void ask_bounds() override { ++bounds_asked; }
  void read(Offset from) override { reading = from; }
  void stop_reading() override { reading.reset(); }
  bool append(std::uint64_t number, std::string_view record) override {
    if (!buffer_full) appends.push_back({number, std::string(record)});
    return !buffer_full;
  }
  void restored(Now) override { ++restored_calls; }
  void counted(std::uint64_t seq, Now) override { counted_seqs.push_back(seq); }
  void released() override { ++released_calls; }
  void dropped(const std::string& reason) override { dropped_reason = reason; }
  void broken(const std::string& reason) override { broken_reason = reason; }
  void refused(const std::string& reason, Now) override { refused_reason = reason; }
};

struct Owning : testing::Test {
  using Phase = Owner::Phase;

  MemoryStore store;
  LogWriter log;  // what lies in the log
  FakeOwnerHost host;
  std::unique_ptr<Owner> owner;
  std::chrono::nanoseconds clock = std::chrono::hours(1);
  LeaseRules rules;

  [[nodiscard]] Now now() const {
    return {at_ms(0) + std::chrono::floor<Duration>(clock), Instant(clock)};
  }
  [[nodiscard]] Offset end() const { return Offset{static_cast<std::int64_t>(log.records.size())}; }

  // Its loop's nonces are 90 to 99.
  void make(LastTenure last = {}, Owner::Claims claims = Owner::Claims::kAnyOwner) {
    Owner::Options options{"me", {90, 99}, rules, last, claims};
    options.may_ask = [this] { return host.is_good_moment; };
    owner = std::make_unique<Owner>(store, host, host, options);
    owner->start();
  }
  TopicUuid topic{1, 2};  // of the state log

  void give_bounds(Offset start = Offset{0}) { owner->bounds(Bounds{start, end(), topic}, now()); }
  // Shows the log from where the owner reads up to its end; a record is `ms_apart` after its
  // neighbour.
  void show(std::int64_t ms_apart = 1) {
    for (std::size_t i = static_cast<std::size_t>(host.reading.value_or(end()).value);
         i < log.records.size() && host.reading; ++i) {
      show_one(i, static_cast<std::int64_t>(i) * ms_apart);
    }
  }
  void show_one(std::size_t i, std::int64_t ms) {
    const LogRecord record{Offset{static_cast<std::int64_t>(i)}, at_ms(ms), {}, log.records[i], {}};
    owner->records({&record, 1}, now());
  }
  // What the owner appended last lands in the log and is acknowledged.
  Offset land(bool acknowledge = true) {
    const FakeOwnerHost::Append append = host.appends.back();
    const Offset at = log.add(append.record);
    if (acknowledge) owner->appended(append.number, {at, {}}, now());
    return at;
  }
  // From nothing to running, on the log as it is.
  void run(std::int64_t ms_apart = 20'000, LastTenure last = {}) {
    make(last);
    give_bounds();
    show(ms_apart);
    land();
    show(ms_apart);
    owner->tick(now());
  }
  std::uint64_t commit(std::string value = "1") {
    return owner->commit(rows_of({{"a", value}}), now());
  }
  [[nodiscard]] std::string row() {
    std::string value;
    return store.get("a", &value) ? value : "(none)";
  }
};

}  // namespace penstock
