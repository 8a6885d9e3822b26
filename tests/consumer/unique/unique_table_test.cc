// Every cell of the table of docs/unique.md: what happens to a job, and who holds its lock then.
#include <nlohmann/json.hpp>

#include "tests/consumer/unique/unique_fixture.h"
#include "tests/topics/record/document_table.h"

namespace penstock {
namespace {

struct Column {
  const char* name;
  UniqueScope scope;
};
constexpr Column kColumns[] = {{"queued", UniqueScope::kQueued},
                               {"running", UniqueScope::kRunning},
                               {"queued_and_running", UniqueScope::kQueuedAndRunning},
                               {"until_done", UniqueScope::kUntilDone},
                               {"ttl", UniqueScope::kTtl}};

struct UniqueTable : InUnique {
  using Story = std::function<void()>;

  void begin(UniqueScope scope) {
    store = MemoryStore();
    input.clear();
    host.starts.clear();
    seq = 0;
    clock = Duration(0);
    TypePolicy of = policy(scope);
    of.keep_succeeded = 2h;
    of.keep_dead = 2h;
    types.add("u", of);
    make();
  }
  void starts() {
    newcomer("a");
    ASSERT_EQ(start(), "a");
    commit();
  }
  void fails() {
    starts();
    end("a", RetryLater{"no", std::nullopt, ""});
  }
  void retries() {
    fails();
    clock += 10s + kWallResolution;
    ASSERT_EQ(start(), "a");
  }
  void crashes() {
    starts();
    restart();
  }
  void dies() {
    starts();
    end("a", Discard{"no"});
  }
  // A batch of another key's job and this one; `with` is what the other's record says besides.
  void starts_in_batch(const BatchPolicy& batch, const std::string& with, int k,
                       const std::string& items) {
    TypePolicy of = types.find("u")->policy;
    of.batch = batch;
    types.add("u", of);
    make();
    newcomer("first", 0, with, k);
    newcomer("a");
    ASSERT_EQ(start(), "first");
    ASSERT_EQ(handed(), items);
    commit();
  }
  void is_an_item(OnBatchError on_error = OnBatchError::kRetry) {
    starts_in_batch({.max = 10, .on_error = on_error}, "", 2, "first a");
  }
  void is_stood_for() {
    starts_in_batch({.max = 10, .collect = Collect::kSet}, R"("unique_key":"other")", 1, "first");
  }
  void notice() { record("acme", "a", {{"penstock-crashed", "1"}}); }
  // From another partition, whose replay has made it.
  void copy_of_a() {
    record("acme", R"({"type":"u","id":"replay/r/a","args":{"k":1,"v":0}})",
           {{"penstock-message", "penstock.mail/1@5>penstock.mail/0#1"},
            {"penstock-derived", "1"},
            {"penstock-replay", R"({"id":"r","of":"a","source":"penstock.mail/1/0"})"}});
    ASSERT_TRUE(task->replays().find("r"));
  }

  std::map<std::string, Story> stories() {
    return {
        {"it is admitted", [this] { newcomer("a"); }},
        {"it is admitted for a later time",
         [this] { newcomer("a", 0, R"("run_at":)" + ms(1min)); }},
        {"it is rescheduled before its first attempt",
         [this] {
           newcomer("a");
           command("reschedule", "acme", "a", R"("run_at":)" + ms(1min));
         }},
        {"a worker dies before its first attempt",
         [this] {
           newcomer("a");
           commit();
           restart();
         }},
        {"its first attempt starts", [this] { starts(); }},
        {"its attempt sends a heartbeat or a checkpoint",
         [this] {
           starts();
           task->checkpoint(token("a"), "1");
           commit();
         }},
        {"it succeeds", [this] { starts(), end("a"); }},
        {"it waits for a retry", [this] { fails(); }},
        {"its retry starts", [this] { retries(); }},
        {"its retry ends in success", [this] { retries(), end("a"); }},
        {"it snoozes", [this] { starts(), end("a", Snooze{5s}); }},
        {"it waits for its next iteration", [this] { starts(), end("a", NextIteration{"1"}); }},
        {"it waits for its next iteration, of a type that releases between them",
         [this] {
           TypePolicy of = types.find("u")->policy;
           of.between_iterations = BetweenIterations::kRelease;
           types.add("u", of);
           make();
           starts();
           end("a", NextIteration{"1"});
         }},
        {"its worker stops and it waits again",
         [this] { starts(), end("a", Interrupted{"it stops"}); }},
        {"its worker dies and it waits again", [this] { crashes(); }},
        {"it dies", [this] { dies(); }},
        {"it is buried after three crashes",
         [this] {
           crashes();
           for (int i = 0; i < kMaxCrashes; ++i) notice();
           EXPECT_EQ(state("acme", "a"), "dead");
         }},
        {"it is cancelled before it starts",
         [this] { newcomer("a"), command("cancel", "acme", "a"); }},
        {"it is cancelled while it runs, and still runs",
         [this] { starts(), command("cancel", "acme", "a"); }},
        {"it is cancelled while it runs, and has stopped",
         [this] {
           starts();
           command("cancel", "acme", "a");
           end("a", Interrupted{"it stops"});
         }},
        {"it is deleted by an operator before it starts",
         [this] { newcomer("a"), command("delete", "acme", "a"); }},
        {"it is deleted by an operator while it runs, and still runs",
         [this] { starts(), command("delete", "acme", "a"); }},
        {"it is deleted by an operator while it runs, and has stopped",
         [this] {
           starts();
           command("delete", "acme", "a");
           end("a", Interrupted{"it stops"});
         }},
        {"it is deleted by an operator while it runs, and succeeds",
         [this] { starts(), command("delete", "acme", "a"), end("a"); }},
        {"it is deleted by an operator while it runs, and its worker dies",
         [this] {
           starts();
           command("delete", "acme", "a");
           commit();
           restart();
           EXPECT_EQ(start(), "");
         }},
        {"it is deleted by an operator after its end",
         [this] { starts(), end("a"), commit(), command("delete", "acme", "a"); }},
        {"it expires",
         [this] {
           newcomer("a", 0, R"("run_at":)" + ms(1min) + R"(,"expires_at":)" + ms(10s));
           commit();
           clock += 11s;
           task->advance(now());
           EXPECT_EQ(task->counters().expired, 1u);
         }},
        {"it is retried by command after its death",
         [this] { dies(), command("retry", "acme", "a"); }},
        {"it is pruned after its end",
         [this] {
           TypePolicy of = types.find("u")->policy;
           of.keep_succeeded = 1s;
           types.add("u", of);
           make();
           starts();
           end("a");
           commit();
           clock += 5s;
           task->advance(now());
           EXPECT_EQ(rows_of_kind(keys::kEnded), 0u);
         }},
        {"it starts as an item of a batch", [this] { is_an_item(); }},
        {"it starts in a batch where an equal one stands for it", [this] { is_stood_for(); }},
        {"its batch succeeds", [this] { is_an_item(), end("first"); }},
        {"the one that stood for it succeeds", [this] { is_stood_for(), end("first"); }},
        {"its batch fails and is to be retried whole",
         [this] {
           is_an_item(), end("first", RetryLater{"no", std::nullopt, ""});
         }},
        {"its batch fails and is split",
         [this] {
           is_an_item(OnBatchError::kSplit), end("first", RetryLater{"no", std::nullopt, ""});
         }},
        {"its batch succeeds, but its own item is to be retried",
         [this] {
           is_an_item(), end_items("first", Done{}, {{}, RetryLater{"no", std::nullopt, ""}});
         }},
        {"its own item succeeds, but its batch fails",
         [this] {
           is_an_item(), end_items("first", RetryLater{"no", std::nullopt, ""}, {{}, Done{}});
         }},
        {"its worker dies with its batch, and it waits again", [this] { is_an_item(), restart(); }},
        {"a replay's copy of it arrives", [this] { newcomer("a"), copy_of_a(); }},
        {"`ttl` passes while it runs", [this] { starts(), clock += 61min, task->advance(now()); }},
        {"`ttl` passes after its end",
         [this] { starts(), end("a"), clock += 61min, task->advance(now()); }},
    };
  }
  [[nodiscard]] std::size_t rows_of_kind(char kind) {
    std::size_t count = 0;
    const std::string from(1, kind);
    view->scan(from, keys::after_prefix(from),
               [&](std::string_view, std::string_view) { return ++count > 0; });
    return count;
  }
  // Whether the job that the story is about holds its lock, as the state has it.
  [[nodiscard]] std::string who_holds() {
    const std::string ids = holders();
    return ids == "a" ? "the job" : ids.empty() ? "nobody" : ids;
  }
  // What a newcomer meets.
  void expect_met_by_newcomer(const std::string& cell) {
    const std::uint64_t before = task->counters().duplicate;
    newcomer("probe");
    EXPECT_EQ(task->counters().duplicate - before, cell == "the job" ? 1u : 0u);
  }
};

TEST_F(UniqueTable, EveryCellOfTheDocumentsTableIsTrue) {
  auto rows = document_table("unique.md", "scopes");
  ASSERT_EQ(rows.count("what happens to the job"), 1u);
  const std::vector<std::string> head = rows.extract("what happens to the job").mapped();
  ASSERT_EQ(head.size(), std::size(kColumns));
  std::size_t walked = 0;
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    EXPECT_EQ(head[i], "`" + std::string(kColumns[i].name) + "`");
    for (const auto& [what, story] : stories()) {
      SCOPED_TRACE(what + ", scope " + kColumns[i].name);
      ASSERT_EQ(rows.count(what), 1u) << "the document does not say it";
      ASSERT_EQ(rows[what].size(), std::size(kColumns));
      begin(kColumns[i].scope);
      story();
      EXPECT_EQ(who_holds(), rows[what][i]);
      commit();
      EXPECT_EQ(who_holds(), rows[what][i]);
      if (kColumns[i].scope != UniqueScope::kRunning) expect_met_by_newcomer(rows[what][i]);
      ++walked;
    }
  }
  EXPECT_EQ(walked, rows.size() * std::size(kColumns)) << "the document has rows without a story";
}

}  // namespace
}  // namespace penstock
