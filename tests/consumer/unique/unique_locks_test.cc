// The holders of locks as a set in rows; the gates of those that run; arguments put in place of
// others.
#include "consumer/unique/unique_locks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "consumer/job/job_keys.h"
#include "consumer/job/replaced_args.h"
#include "consumer/policy/type_table.h"
#include "consumer/schedule/lines/lines.h"
#include "consumer/unique/unique_gates.h"
#include "state/rows/keys.h"
#include "state/store/memory_store.h"

namespace penstock {
namespace {

constexpr Digest kKey{1, 2}, kOther{3, 4};

struct LocksInRows : testing::Test {
  MemoryStore store;
  View view{store};
  UniqueLocks locks{view};
  std::uint64_t seq = 0;
  Time now = time_from_ms(1'000'000);

  static UniqueLocks::Holder job(std::int64_t number, Time until = Time{}) {
    return {JobSeq{number}, until, "j" + std::to_string(number)};
  }
  void commit() {
    locks.save();
    const std::string rows(view.batch().bytes());
    view.sent(++seq);
    ASSERT_TRUE(
        store.apply(rows, {Offset{static_cast<std::int64_t>(seq)}, Offset{1}, seq, 0, false}));
    view.applied(seq);
  }
  [[nodiscard]] std::string who(const Digest& key = kKey) {
    std::string ids;
    for (const auto& holder : locks.holders(key, now)) ids += holder.id;
    return ids;
  }
  [[nodiscard]] std::size_t rows() const { return store.contents().rows.size(); }
};

TEST_F(LocksInRows, AReleaseByWhoIsNoHolderChangesNothing) {
  locks.take(kKey, job(7), now);
  locks.release(kKey, JobSeq{8});
  locks.release(kOther, JobSeq{7});
  EXPECT_EQ(who(), "j7");
  locks.release(kKey, JobSeq{7});
  locks.take(kKey, job(9), now);
  locks.release(kKey, JobSeq{7});  // late, and twice
  EXPECT_EQ(who(), "j9");
}

TEST_F(LocksInRows, AHolderIsOneHoweverOftenItTakes) {
  for (int i = 0; i < 3; ++i) locks.take(kKey, job(7), now);
  locks.take(kKey, job(8), now);
  EXPECT_EQ(who(), "j7j8");
  EXPECT_TRUE(locks.holds(kKey, JobSeq{8}, now));
  EXPECT_FALSE(locks.holds(kOther, JobSeq{8}, now));
}

TEST_F(LocksInRows, TakenAndGivenBackWithinACommitLeavesNoRow) {
  locks.take(kKey, job(7), now);
  EXPECT_GT(locks.unsaved_bytes(), 0u);
  locks.release(kKey, JobSeq{7});
  EXPECT_EQ(locks.unsaved_bytes(), 0u);
  locks.take(kKey, job(8), now);
  locks.release(kKey, JobSeq{8});
  EXPECT_EQ(locks.unsaved_bytes(), 0u);
  commit();
  EXPECT_EQ(rows(), 0u);
  EXPECT_EQ(locks.unsaved_bytes(), 0u);
}

TEST_F(LocksInRows, RowsComeBackAndGoWithTheLastHolder) {
  locks.take(kKey, job(7), now);
  locks.take(kKey, job(8), now);
  commit();
  UniqueLocks later(view);
  later.restored();
  EXPECT_EQ(later.holders(kKey, now).size(), 2u);
  locks.release(kKey, JobSeq{7});
  commit();
  EXPECT_EQ(who(), "j8");
  locks.release(kKey, JobSeq{8});
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, WhoHoldsUntilATimeDoesNotLetGoBefore) {
  locks.take(kKey, job(7, now + 5s), now);
  locks.release(kKey, JobSeq{7});
  commit();
  EXPECT_EQ(who(), "j7");
  now += 5s;
  EXPECT_EQ(who(), "");
  locks.prune(now);
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, PruningSaysThatThereMayBeMoreWhenItHasDoneItsShare) {
  constexpr auto kShare = static_cast<std::uint64_t>(UniqueLocks::kMaxErasedPerStep);
  for (std::uint64_t i = 0; i < kShare + 1; ++i) locks.take({9, i}, job(7, now + 1s), now);
  commit();
  now += 1s;
  EXPECT_TRUE(locks.prune(now));
  commit();
  EXPECT_FALSE(locks.prune(now));
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, WhoIsDroppedHoldsNothingAndLeavesNoRow) {
  locks.take(kKey, job(7, now + 1s), now);
  commit();
  locks.drop(kKey, JobSeq{8});
  EXPECT_EQ(who(), "j7");
  locks.drop(kKey, JobSeq{7});
  locks.drop(kKey, JobSeq{7});
  EXPECT_EQ(who(), "");
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, TheTimeOfWhoHoldsUntilTheSameStays) {
  for (const std::int64_t number : {7, 8}) locks.take(kKey, job(number, now + 1s), now);
  locks.drop(kKey, JobSeq{7});
  commit();
  EXPECT_EQ(who(), "j8");
  EXPECT_EQ(rows(), 2u);
  now += 1s;
  (void)locks.prune(now);
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, PruningTakesABoundedStep) {
  constexpr std::uint64_t kMany = UniqueLocks::kMaxErasedPerStep + 10;
  for (std::uint64_t i = 1; i <= kMany; ++i)
    locks.take({i, i}, job(static_cast<std::int64_t>(i), now + 1s), now);
  commit();
  EXPECT_EQ(rows(), 2 * kMany);
  now += 2s;
  locks.prune(now);
  commit();
  EXPECT_EQ(rows(), 2u * 10);
  locks.prune(now);
  commit();
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LocksInRows, PruningLeavesALaterHolder) {
  locks.take(kKey, job(7, now + 1s), now);
  commit();
  now += 1s;
  locks.take(kKey, job(8, now + 1s), now);
  commit();
  locks.prune(now);
  commit();
  EXPECT_EQ(who(), "j8");
}

TEST(UniqueGates, AreExclusiveWhereNoTwoRunAtOnce) {
  const auto is = [](UniqueScope scope, OnConflict on_conflict) {
    return UniqueGates::is_exclusive({{}, scope, on_conflict, {}});
  };
  for (const auto scope :
       {UniqueScope::kRunning, UniqueScope::kQueuedAndRunning, UniqueScope::kUntilDone}) {
    EXPECT_TRUE(is(scope, OnConflict::kDrop));
  }
  for (const auto scope : {UniqueScope::kQueued, UniqueScope::kTtl}) {
    EXPECT_FALSE(is(scope, OnConflict::kReplace));
    EXPECT_TRUE(is(scope, OnConflict::kKeepLatest));
  }
}

TEST(UniqueGates, AreForgottenWhenNobodyRunsOrWaits) {
  MemoryStore rows;
  View view(rows);
  JobStore store(view, LineOrder(Order::kCreated), Duration{0});
  UniqueGates gates("mail", store);
  TypeRuntime type;
  type.policy.unique.emplace().scope = UniqueScope::kRunning;
  LiveJob first, second;
  for (LiveJob* job : {&first, &second}) {
    job->row.unique = kKey;
    job->row.account = "acme";
    job->row.value = R"({"type":"t","args":[1]})";
    job->type = &type;
  }
  first.token.number = 7;
  first.row.id = "first";
  Line line;
  EXPECT_EQ(gates.closed(&second, line), nullptr);
  gates.started(&first);
  Gate* const gate = gates.closed(&second, line);
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->what(),
            "the lock of its unique key {\"args\":[1]}: \"first\" holds it while it runs");
  EXPECT_EQ(gates.holder(kKey), "first");
  (void)gate->give_back(8);
  EXPECT_EQ(gate->room(), 0);
  (void)gate->give_back(7);
  EXPECT_EQ(gate->room(), 1);
  gates.forget_idle();
  EXPECT_EQ(gates.size(), 0u);
  gates.started(&first);
  EXPECT_EQ(first.unique_gate->give_back(7), nullptr) << "nobody has ever waited there";
  EXPECT_EQ(gates.size(), 0u);
}

TEST(JobKeys, AUniqueNameIsCutBetweenCharacters) {
  JobDecoder decoder;
  const std::string value = R"({"type":"t","unique_key":")" + std::string(149, 'k') + "ééé\"}";
  const auto record = decoder.decode("acme", value);
  ASSERT_TRUE(record);
  JobKeys keys;
  keys.of("mail", *record);
  const std::string name = keys.unique_name({});
  EXPECT_EQ(name, R"({"key":")" + std::string(149, 'k') + "é…");
  EXPECT_LE(name.size(), kMaxUniqueNameBytes + 3);
}

TEST(ReplacedArgs, ChangeTheArgumentsAndNothingElse) {
  EXPECT_EQ(
      replaced_args(R"({"type":"t","args":{"a":[1,{"args":2}]} , "id":"x"})", R"({"b": 1.50})"),
      R"({"type":"t","args":{"b": 1.50} , "id":"x"})");
  EXPECT_EQ(replaced_args(" \n{ \"args\" : 7 }\t", "[]"), " \n{ \"args\" : [] }\t");
  EXPECT_EQ(replaced_args(R"({"\u0061rgs":"\"x","type":"t"})", "null"),
            R"({"\u0061rgs":null,"type":"t"})");
  EXPECT_EQ(replaced_args(R"({"type":"t","meta":{"args":1}})", "{}"),
            R"({"args":{},"type":"t","meta":{"args":1}})");
}

TEST(ReplacedArgs, OfARecordWithoutAnyAreSetInFront) {
  EXPECT_EQ(replaced_args(R"( {"type":"t"} )", "1"), R"( {"args":1,"type":"t"} )");
  EXPECT_EQ(replaced_args("{ }", "1"), R"({"args":1 })");
}

}  // namespace
}  // namespace penstock
