#include "tests/simulation/checker/bulk_checks.h"

#include <nlohmann/json.hpp>

#include "state/rows/bulk_row.h"
#include "state/rows/keys.h"

namespace penstock::simulation {

// A chunk may come twice, the second time when the bulk has been forgotten: it begins another.
bool BulkChecks::may_be_new(const Bulk& bulk) const {
  return run_.settings().short_window && bulk.account != kTwinAccount;
}

std::string BulkChecks::on_done_id(PartitionId partition, const Bulk& bulk) const {
  const auto& rows = run_.reference(partition).store().rows();
  const auto head = rows.find(keys::bulk_head(keys::bulk_prefix(bulk.account, bulk.id)));
  const Result<BulkRow> row = BulkRow::decode(head == rows.end() ? std::string() : head->second);
  return bulk.id + "@" + (row ? std::to_string(row->first_seq.value) : "") + "/on_done";
}

// A chunk that is run again by a command may have had another end.
void BulkChecks::produced(const CommitFacts& facts, const Produced& message) {
  const std::string text = message.value.value_or("");
  if (message.topic != names().topic() || text.find("/on_done\"") == text.npos) return;
  const auto numbers = nlohmann::json::parse(text)["args"]["bulk"];
  if (!message.header("penstock-origin").empty() || !message.header("penstock-replay").empty())
    return;
  if (!numbers.is_object()) return;
  Bulk* const bulk = run_.model().find_bulk(message.key.value_or(""), numbers["id"]);
  const auto says = [&] { return name_of(facts) + " produces " + text; };
  if (bulk && bulk->on_done == 1 && may_be_new(*bulk)) return;
  Rules& rules = run_.rules();
  if (!rules.check(Rule::kOnDone, bulk && bulk->whole() && ++bulk->on_done == 1, says)) return;
  std::int64_t dead = 0;
  bool all_ended = true, again = false;
  for (const auto& [index, chunk] : bulk->chunks) {
    dead += chunk->buried ? 1 : 0;
    again = again || chunk->reruns > 0 || run_.may_be_forgotten(*chunk);
    all_ended = all_ended && (chunk->ends > 0 || chunk->reruns > 0);
  }
  const std::int64_t sum =
      numbers["succeeded"].get<std::int64_t>() + numbers["dead"].get<std::int64_t>() +
      numbers["cancelled"].get<std::int64_t>() + numbers["expired"].get<std::int64_t>();
  rules.check(Rule::kOnDone, all_ended && sum == bulk->size && (again || numbers["dead"] == dead),
              says);
  if (may_be_new(*bulk)) return;
  const std::string id = on_done_id(facts.partition, *bulk);
  rules.check(Rule::kBulkAgain, text.find("\"" + id + "\"") != text.npos, says);
  if (tell_) tell_(*bulk);
}

void BulkChecks::check_end() {
  for (const auto& [name, bulk] : run_.model().bulks()) {
    if (bulk.account == "bulky") continue;  // these have no on_done
    run_.rules().check(Rule::kBulkAgain, bulk.account != kTwinAccount || bulk.on_done == 1,
                       [&, &of = bulk] {
                         return "the second bulk " + of.id + " has produced its job " +
                                std::to_string(of.on_done) + " times";
                       });
    run_.rules().check(Rule::kOnDone, bulk.on_done == (bulk.whole() ? 1 : 0), [&, &of = bulk] {
      return "bulk " + of.account + "/" + of.id + " has produced its job " +
             std::to_string(of.on_done) + " times";
    });
  }
}

}  // namespace penstock::simulation
