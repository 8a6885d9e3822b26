// Every kind of row, and whose it is: rows that belong to an account are found by it, as the grammar
// says (state/rows/keys.h), and the others are the partition's.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "state/rows/encoding.h"
#include "state/rows/job_row.h"
#include "state/rows/keys.h"
#include "state/rows/unique_row.h"
#include "tests/consumer/limits/limit_fixture.h"

namespace penstock {
namespace {

using Rows = std::map<std::string, std::string, std::less<>>;

struct AccountRows : WithLimits {
  AccountRows() {
    queue.account_concurrency = 10;
    TypePolicy kept;
    kept.keep_succeeded = 1h;
    types.add("kept", kept);
    TypePolicy once;
    once.unique = UniquePolicy{{}, UniqueScope::kTtl, OnConflict::kDrop, 1h};
    types.add("once", once);
    TypePolicy broken;
    broken.retry = {.attempts = 3, .backoff = Backoff::kFixed, .base = 10s, .jitter = 0};
    broken.retry.breaker = BreakerPolicy{.failures = 1, .probe = 1h};
    types.add("broken", broken);
    const Rate slow{1, Duration{3'600'000}};
    type("limited", {limit("own/{account}", {}, slow)});
    // Nobody's, though an argument may name an account. It waits for the limit's owner to allot it
    // a slot.
    type("sharing", {limit("shared/{args/n}", 5)});
  }

  void run(const std::string& account, const std::string& type, const std::string& more = "") {
    const std::string id = account + "-" + type;
    job_of(type, account, id, more);
    if (start().find(id) == std::string::npos) return;
    if (type == "broken") return end(id, RetryLater{"no", std::nullopt, ""});
    end(id);
  }
  // Something of every kind.
  void fill(const std::string& account) {
    run(account, "kept");
    run(account, "once", R"("args":{"n":1})");
    run(account, "broken");
    run(account, "limited");
    run(account, "sharing", R"("args":{"n":")" + account + "\"}");
    run(account, "t");  // leaves its identity alone
    run(account, "nobody-knows");
    job_of("t", account, account + "-later",
           R"("run_at":)" + ms(1h) + R"(,"expires_at":)" + ms(2h));
    job_of("t", account, account + "-waits",
           R"("bulk":{"id":"b","index":0,"size":2,"on_done":{"type":"t"}})");
    record(account, "no job");  // for the dead letters
    record(account, R"({"type":"t","id":")" + account + "-from-elsewhere\"}",
           {{std::string(kMessageHeader),
             "penstock.mail/" + std::to_string(account.size()) + "@5>penstock.mail/0#1"}});
  }
  [[nodiscard]] Rows rows() const {
    Rows rows;
    for (const auto& [key, value] : store.contents().rows) rows.emplace(key, value);
    return rows;
  }
};

// All that belongs to the account, found as the grammar says and in no other way.
struct Finder {
  const Rows& rows;
  const std::string& account;
  std::set<std::string> found = {};

  void add(const std::string& key) {
    if (rows.contains(key)) found.insert(key);
  }
  void begin_with(const std::string& prefix) {
    for (auto at = rows.lower_bound(prefix); at != rows.end() && at->first.starts_with(prefix);
         ++at)
      found.insert(at->first);
  }
  [[nodiscard]] std::string hash() const {
    std::string bytes;
    put_u32(bytes, account_hash(account));
    return bytes;
  }
  [[nodiscard]] std::string named(char kind) const {
    return std::string(1, kind) + static_cast<char>(account.size()) + account;
  }

  void find() {
    for (const char kind : {keys::kLine, keys::kBulk, keys::kBreaker, keys::kRate})
      begin_with(named(kind));
    for (const char kind : {keys::kIdentity, keys::kUnique})
      begin_with(std::string(1, kind) + hash());
    for (const std::string& key : std::set<std::string>(found)) {
      if (key[0] == keys::kIdentity) add_job(rows.at(key));
      if (key[0] == keys::kUnique) add_lock(key);
    }
    for (const auto& [key, value] : rows) {
      if (key[0] == keys::kBulkCheck &&
          keys::parse_bulk(keys::parse_bulk_check(key) + '\0').account == account)
        add(key);
      if (key[0] != keys::kDedup) continue;
      for (std::size_t at = 0; at < value.size(); at += kDigestBytes) {
        if (value.substr(at).starts_with(hash())) add(key);
      }
    }
  }
  void add_job(const std::string& key) {
    const JobRow row = JobRow::decode(rows.at(key)).value();
    EXPECT_EQ(row.account, account);
    add(key);
    add(keys::expiry(row.expires_at, row.seq));
  }
  void add_lock(const std::string& key) {
    Cursor cursor(key);
    cursor.u8();
    Digest digest;
    digest.high = cursor.u64();
    digest.low = cursor.u64();
    const UniqueRow row = UniqueRow::decode(rows.at(key)).value();
    for (const UniqueRow::Holder& holder : row.holders)
      add(keys::unique_until(holder.until, digest));
  }
};

TEST_F(AccountRows, ThatBelongToAnAccountAreFoundByItAndTheOthersAreThePartitions) {
  make();
  for (const std::string account : {"acme", "longer-account"}) fill(account);
  task->exchange_slots({true, false, true}, now());
  commit();
  const Rows all = rows();

  // Of each kind there is one, so none is forgotten here; the slots topic alone has rows 'a'.
  const std::string of_accounts{
      keys::kDue,       keys::kLine,  keys::kUnknownType, keys::kEnded,       keys::kIdentity,
      keys::kExpiry,    keys::kDedup, keys::kUnique,      keys::kUniqueUntil, keys::kBulk,
      keys::kBulkCheck, keys::kRate,  keys::kBreaker};
  const std::string of_partition{keys::kMeta, keys::kOutbox, keys::kOutboxSeq, keys::kWatermark,
                                 keys::kShare};
  std::map<char, int> kinds;
  for (const auto& [key, value] : all) ++kinds[key[0]];
  for (const char kind : of_accounts + of_partition) EXPECT_GE(kinds[kind], 1) << kind;
  EXPECT_EQ(kinds.size(), of_accounts.size() + of_partition.size());

  std::map<std::string, int> finders;
  for (const std::string account : {"acme", "longer-account"}) {
    Finder finder{all, account};
    finder.find();
    for (const std::string& key : finder.found) ++finders[key];
    std::set<char> found;
    for (const std::string& key : finder.found) found.insert(key[0]);
    for (const char kind : of_accounts) EXPECT_TRUE(found.contains(kind)) << account << " " << kind;
  }
  for (const auto& [key, value] : all) {
    const bool is_partitions = of_partition.find(key[0]) != std::string::npos;
    const bool has_digests = key[0] == keys::kDedup;  // of several accounts
    const int times = finders[key];
    EXPECT_TRUE(is_partitions ? times == 0 : times == 1 || has_digests) << key << " " << times;
  }
}

// Two accounts may fill in names to one text; each has its own limit, wherever the other is.
TEST_F(AccountRows, OfALimitWithTheAccountInItsNameAreTheAccountsOwn) {
  type("by-host", {limit("{account}/{args/host}", {}, Rate{1, Duration{3'600'000}})});
  make();
  job_of("by-host", "a/b", "one", R"("args":{"host":"c"})");
  job_of("by-host", "a", "two", R"("args":{"host":"b/c"})");
  EXPECT_EQ(start(), "one two");
  commit();
  std::string bytes;
  EXPECT_TRUE(View(store).get(keys::rate("a/b", "a/b/c"), &bytes));
  EXPECT_TRUE(View(store).get(keys::rate("a", "a/b/c"), &bytes));
  end("one");
  end("two");
  restart();
  job_of("by-host", "a", "three", R"("args":{"host":"b/c"})");
  EXPECT_EQ(start(), "") << "the rate's memory is its account's";
}

TEST_F(AccountRows, OfALimitWithoutTheAccountInItsNameAreNobodys) {
  // A parsed key points into the key, which therefore outlives it.
  const std::string shared = keys::rate({}, "shared/acme");
  const std::string own = keys::rate("acme", "own/acme");
  EXPECT_EQ(keys::parse_rate(shared).owner, "");
  EXPECT_EQ(keys::parse_rate(own).owner, "acme");
  EXPECT_EQ(keys::parse_rate(own).limit, "own/acme");
  EXPECT_NE(keys::rate("acme", {}), keys::rate({}, "acme"));
}

TEST_F(AccountRows, OfABreakerBeginWithTheAccount) {
  const std::string key = keys::breaker("acme", "mail");
  const keys::BreakerKey parsed = keys::parse_breaker(key);
  EXPECT_EQ(parsed.account, "acme");
  EXPECT_EQ(parsed.type, "mail");
}

}  // namespace
}  // namespace penstock
