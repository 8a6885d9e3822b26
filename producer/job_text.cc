#include "producer/job_text.h"

#include <chrono>

namespace penstock {
namespace {

using nlohmann::json;
using Point = std::chrono::system_clock::time_point;

// Writes an object member by member and remembers the current one, for error messages.
class Writer {
 public:
  void add(std::string_view name, const json& value) {
    at_ = name;
    text_ += text_.empty() ? "{\"" : ",\"";
    text_ += name;
    text_ += "\":";
    text_ += value.dump();
  }
  [[nodiscard]] std::string finish() { return std::move(text_ += '}'); }
  [[nodiscard]] std::string_view at() const { return at_; }

 private:
  std::string text_;
  std::string_view at_;
};

json bulk_json(const NewBulk& bulk) {
  json value{{"id", bulk.id}, {"index", bulk.index}, {"size", bulk.size}};
  if (!bulk.on_done.is_null()) value["on_done"] = bulk.on_done;
  return value;
}

std::int64_t ms(std::chrono::sys_time<std::chrono::milliseconds> time) {
  return time.time_since_epoch().count();
}

void write_times(Writer& out, const NewJob& job) {
  using std::chrono::milliseconds;
  // Rounded so that no job starts earlier or lives longer than requested.
  if (job.run_at) out.add("run_at", ms(std::chrono::ceil<milliseconds>(*job.run_at)));
  if (job.expires_at) out.add("expires_at", ms(std::chrono::floor<milliseconds>(*job.expires_at)));
}

void write(Writer& out, const NewJob& job, std::string_view id) {
  out.add("type", job.type);
  out.add("id", job.id.empty() ? id : std::string_view(job.id));
  out.add("args", job.args);
  write_times(out, job);
  if (job.priority != 0) out.add("priority", job.priority);
  if (job.weight != 1) out.add("weight", job.weight);
  if (job.bulk) out.add("bulk", bulk_json(*job.bulk));
  if (job.unique_key) out.add("unique_key", *job.unique_key);
  if (!job.meta.is_null()) out.add("meta", job.meta);
}

}  // namespace

tl::expected<std::string, Failure> job_text(const NewJob& job, std::string_view id) {
  Writer out;
  try {
    write(out, job, id);
    return out.finish();
  } catch (const json::exception& error) {
    // Text that is not UTF-8, which only dump() finds.
    const std::string member = "/" + std::string(out.at());
    return tl::unexpected(
        Failure{FailureReason::kBadJob, member,
                "the job's " + member + " cannot be written as JSON: " + error.what()});
  }
}

}  // namespace penstock
