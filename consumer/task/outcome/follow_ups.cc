#include "consumer/task/outcome/follow_ups.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "consumer/job/derived_id.h"
#include "consumer/replay/replay_terms.h"
#include "topics/json/json_splice.h"
#include "topics/names.h"
#include "topics/partitioner.h"
#include "topics/values/check.h"

namespace penstock {
namespace {

// The record with `id` in it, where it has none. The rest stays as the handler wrote it.
std::string with_id(const std::string& record, const std::string& id) {
  const std::size_t brace = record.find('{');
  const std::size_t next = record.find_first_not_of(" \t\r\n", brace + 1);
  const bool empty = next != std::string::npos && record[next] == '}';
  return "{\"id\":" + nlohmann::json(id).dump() + (empty ? "" : ",") + record.substr(brace + 1);
}

// A good record with another id in place of its own.
std::string with_other_id(const std::string& record, const std::string& id) {
  JsonDocument document;
  PENSTOCK_CHECK(!document.parse(record), "a record that was decoded is good JSON");
  return with_member(document, "id", nlohmann::json(id).dump());
}

}  // namespace

std::optional<std::string> FollowUps::produce(LiveJob* job, std::span<const FollowUp> jobs) {
  struct Checked {
    Destination to;
    std::string account, record;
    std::vector<Header> headers;
  };
  const TaskOptions& options = core_.options;
  // All are checked before the first is produced, because either all of them are or none.
  std::vector<Checked> checked;
  std::size_t bytes = 0;
  int number = job->row.follow_ups;
  for (const FollowUp& next : jobs) {
    const std::string& queue = next.queue.empty() ? options.queue.name : next.queue;
    const std::string& account = next.account.empty() ? job->row.account : next.account;
    const int partitions =
        queue == options.queue.name ? options.queue.partitions : core_.host.partitions_of(queue);
    if (partitions <= 0) return "enqueue: the queue \"" + queue + "\" is not in the configuration";
    std::string record = next.record;
    // Twice, because an id that the handler wrote has a producer's maximum, and a derived one has
    // not.
    auto decoded = decoder_.decode(account, record);
    if (decoded && decoded->id.empty()) {
      record = with_id(record, derived_id(job->row.id, "/" + std::to_string(++number)));
      decoded = decoder_.decode(account, record, kMaxDerivedIdBytes);
    }
    // What the original enqueued has this id.
    if (decoded && job->row.is_copy() && record == next.record) {
      record = with_other_id(record, copy_id(replay_of_copy(job->row.id), decoded->id));
      decoded = decoder_.decode(account, record, kMaxDerivedIdBytes);
    }
    if (!decoded) return "enqueue: " + decoded.error().detail;
    Checked out{{QueueNames(options.prefix, queue).topic(), partition_of(account, partitions)},
                account,
                std::move(record),
                next.headers};
    bytes += follow_up_bytes(out.record, account, out.to.topic) + follow_up_bytes(out.headers);
    if (bytes > kMaxFollowUpBytes) return "enqueue: " + std::string(kTooManyFollowUps);
    checked.push_back(std::move(out));
  }
  for (Checked& out : checked)
    core_.outgoing.job(out.to, std::move(out.account), std::move(out.record),
                       std::move(out.headers));
  // Only now: what was refused has used up no numbers, so a retry derives the same ids.
  job->row.follow_ups = number;
  return std::nullopt;
}

}  // namespace penstock
