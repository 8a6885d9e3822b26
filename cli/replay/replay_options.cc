#include "cli/replay/replay_options.h"

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/jobs/job_selection.h"
#include "consumer/config/handler_spec.h"
#include "consumer/policy/duration.h"
#include "topics/values/rfc3339.h"

namespace penstock {
namespace {

using nlohmann::json;

bool is_milliseconds(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
         text.size() <= 15;
}

// RFC 3339, milliseconds since 1970, or an age.
Result<json> read_time(const std::string& name, const std::string& text, Time now) {
  if (parse_rfc3339(text)) return json(text);
  if (is_milliseconds(text)) return json(std::stoll(text));
  if (const auto age = parse_duration(text)) return json(to_ms(now - *age));
  return failure("--" + name + ": found \"" + text +
                 "\", expected a time such as 2026-03-01T12:00:00Z, milliseconds since 1970, or an "
                 "age such as 2h");
}

// P:FROM-TO, P:FROM- or P:FROM, several divided by commas.
Status read_offsets(json& offsets, const std::string& text) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = part.find(':'), dash = part.find('-');
    const auto number = [&](std::size_t from, std::size_t to) -> json {
      const std::string digits = part.substr(from, to - from);
      const bool good = !digits.empty() && digits.size() <= 18 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
      return good ? json(std::stoull(digits)) : json();
    };
    if (colon == std::string::npos || colon == 0)
      return failure("--offsets: found \"" + part + "\", expected PARTITION:FROM-TO");
    const std::size_t from_end = std::min(dash, part.size());
    const json from = from_end > colon ? number(colon + 1, from_end) : json();
    const bool open = dash == std::string::npos || dash + 1 == part.size();
    const json to = open ? json() : number(dash + 1, part.size());
    if (from.is_null() || (!open && to.is_null()))
      return failure("--offsets: found \"" + part + "\", expected PARTITION:FROM-TO");
    const std::string partition = part.substr(0, colon);
    if (offsets.contains(partition))
      return failure("--offsets: found partition " + partition + " more than once");
    offsets[partition] = {from, to};
    begin = end + 1;
  }
  return {};
}

Result<json> read_offsets(const std::vector<std::string>& texts) {
  json offsets = json::object();
  for (const std::string& text : texts) {
    if (const Status read = read_offsets(offsets, text); !read) return tl::unexpected(read.error());
  }
  return offsets;
}

Result<json> read_ids(const std::string& path) {
  std::ifstream file;
  if (path != "-") file.open(path);
  std::istream& in = path == "-" ? std::cin : file;
  if (path != "-" && !file.is_open()) return failure("--ids: cannot read " + path);
  json ids = json::array();
  std::size_t bytes = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    bytes += line.size();
    if (bytes > kMaxReplayBytes) {
      return failure("--ids: " + path + " has more than " + std::to_string(kMaxReplayBytes) +
                     " bytes of ids: divide them among several replays");
    }
    ids.push_back(line);
  }
  if (ids.empty()) return failure("--ids: " + path + " has no ids; expected one per line");
  return ids;
}

// /pointer=value: the value is JSON or, if it is none, a text.
Result<json> read_where(const std::vector<std::string>& texts) {
  json where = json::object();
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || !text.starts_with('/'))
      return failure("--where: found \"" + text + "\", expected /pointer=value");
    const std::string value = text.substr(equals + 1);
    json parsed = json::parse(value, nullptr, false);
    const std::string pointer = text.substr(0, equals);
    if (where.contains(pointer))
      return failure("--where: found two values for " + pointer + ", expected one");
    where[pointer] = parsed.is_discarded() ? json(value) : std::move(parsed);
  }
  return where;
}

Result<json> read_program(const std::string& text) {
  const auto spec = parse_handler_spec(text);
  const auto* const program = spec ? std::get_if<ExecHandler>(&*spec) : nullptr;
  if (!program)
    return failure("--through: found \"" + text + "\", expected exec:/path ARGUMENT...");
  return json(program->argv);
}

}  // namespace

Result<ReplayTerms> ReplayOptions::terms(Time now) const {
  json asked = json::object();
  std::string wrong;
  const auto put = [&](const char* name, Result<json> value) {
    if (value) {
      asked[name] = *std::move(value);
    } else if (wrong.empty()) {
      wrong = value.error().message;
    }
  };
  if (!from.empty()) put("from", read_time("from", from, now));
  if (!to.empty()) put("to", read_time("to", to, now));
  if (!offsets.empty()) put("offsets", read_offsets(offsets));
  if (!ids_file.empty()) put("ids", read_ids(ids_file));
  for (const std::string& id : job_ids) asked["ids"].push_back(id);
  if (!where.empty()) put("where", read_where(where));
  if (!through.empty()) put("through", read_program(through));
  if (!wrong.empty()) return failure(wrong);
  if (dead) asked["dead"] = true;
  if (keep_expiry) asked["keep_expiry"] = true;
  if (!reasons.empty()) asked["reasons"] = reasons;
  if (!types.empty()) asked["types"] = types;
  if (!accounts.empty()) asked["accounts"] = accounts;
  if (!rate.empty()) asked["rate"] = rate;
  if (!max_dead.empty()) asked["max_dead"] = max_dead;
  if (!to_queue.empty()) asked["to_queue"] = to_queue;
  if (concurrency) asked["concurrency"] = *concurrency;
  return parse_replay_terms(asked);
}

bool ReplayOptions::has_age() const {
  const auto is_age = [](const std::string& text) {
    return !text.empty() && !parse_rfc3339(text) && !is_milliseconds(text);
  };
  return is_age(from) || is_age(to);
}

void add_replay_options(CLI::App& app, ReplayOptions& options) {
  const auto several = [&](const char* name, std::vector<std::string>& to, const char* help) {
    return app.add_option(name, to, help)->allow_extra_args(false);
  };
  app.add_option("--queue", options.queue, "The queue");
  app.add_option("--id", options.name, "The replay's name, 1 to 64 of A-Za-z0-9._-")
      ->type_name("NAME");
  app.add_option("--from", options.from, "Records from this time on: RFC 3339, ms, or an age (2h)")
      ->type_name("TIME");
  app.add_option("--to", options.to, "Records before this time")->type_name("TIME");
  several("--offsets", options.offsets, "Instead of times: PARTITION:FROM-TO; TO is excluded")
      ->type_name("RANGES");
  app.add_flag("--dead", options.dead, "The dead jobs; --from and --to are times of death");
  several("--reason", options.reasons, "Of the dead jobs, those that died of it");
  app.add_option("--ids", options.ids_file, "The jobs with these ids, one per line (- for stdin)")
      ->type_name("FILE");
  several("--job", options.job_ids, "The job with this id; may be repeated")->type_name("ID");
  several("--type", options.types, "Only this type");
  several("--account", options.accounts, "Only this account");
  several("--where", options.where, "Only jobs whose argument at the JSON pointer is the value")
      ->type_name("/POINTER=VALUE");
  app.add_option("--rate", options.rate, "Copies per second, such as 100/s")->type_name("N/s");
  app.add_option("--concurrency", options.concurrency, "Copies that run at once, in the group");
  app.add_option("--max-dead", options.max_dead, "Pause when more of the copies are dead (1%)")
      ->type_name("PERCENT");
  app.add_option("--to-queue", options.to_queue, "Send the copies to this queue")
      ->type_name("QUEUE");
  app.add_option("--through", options.through,
                 "A program on the workers that may change or drop each")
      ->type_name("exec:/path");
  app.add_flag("--keep-expiry", options.keep_expiry, "Copies expire when their originals did");
  app.add_flag("--dry-run", options.dry_run, "Count what would be copied, and start nothing");
  app.add_flag("--detach", options.detach, "Do not follow the replay");
}

}  // namespace penstock
