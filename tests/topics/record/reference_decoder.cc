#include "tests/topics/record/reference_decoder.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <vector>

#include "topics/json/json_document.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;
using Event = Json::parse_event_t;

struct Refused {
  BadRecord bad;
};

[[noreturn]] void refuse(BadReason reason, std::string member, std::string detail) {
  throw Refused{{reason, std::move(member), std::move(detail)}};
}

[[noreturn]] void refuse_field(std::string member, std::string detail = "breaks its rule") {
  refuse(BadReason::kBadField, std::move(member), std::move(detail));
}

bool is_text_in_utf8(std::string_view text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

void check_key(std::optional<std::string_view> key) {
  const bool good =
      key && !key->empty() && key->size() <= kMaxAccountBytes && is_text_in_utf8(*key);
  if (!good) refuse(BadReason::kBadKey, "", "");
}

// nlohmann::json takes a zero byte for the end, skips a byte order mark, and lets names repeat.
Json parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos || text.starts_with("\xEF\xBB\xBF")) {
    refuse(BadReason::kBadJson, "", "a byte that JSON does not have");
  }
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, Event event, Json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= kMaxDepth) refuse(BadReason::kBadJson, "", "too deep");
    if (opens) open.emplace_back();
    if (event == Event::object_end || event == Event::array_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second) {
      refuse(BadReason::kBadJson, "", "a name stands twice");
    }
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception& error) {
    refuse(BadReason::kBadJson, "", error.what());
  }
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return text;
}

void refuse_others(const Json& object, const std::string& where,
                   std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      refuse_field(where + "/" + escaped(name));
    }
  }
}

std::string read_text(const Json& value, const std::string& where) {
  if (!value.is_string()) refuse_field(where);
  return value.get<std::string>();
}

std::string read_text(const Json& value, const std::string& where, std::size_t max_bytes) {
  auto text = read_text(value, where);
  if (text.empty() || text.size() > max_bytes) refuse_field(where);
  return text;
}

std::int64_t read_integer(const Json& value, const std::string& where, std::int64_t least,
                          std::int64_t most) {
  if (!value.is_number_integer()) refuse_field(where);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) refuse_field(where);
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) refuse_field(where);
  return number;
}

constexpr std::int64_t kMinMs = -62167219200000;
constexpr std::int64_t kMaxMs = 253402300799999;

std::int64_t seconds_of(int year, int month, int day, int hour, int minute) {
  std::tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = hour;
  parts.tm_min = minute;
  return timegm(&parts);
}

bool exists(int year, int month, int day) {
  const std::time_t noon = seconds_of(year, month, day, 12, 0);
  std::tm parts{};
  gmtime_r(&noon, &parts);
  return parts.tm_mday == day && parts.tm_mon == month - 1;
}

bool ends_a_month_in_utc(std::int64_t minute) {
  const std::time_t after = minute + 60;
  std::tm parts{};
  gmtime_r(&after, &parts);
  return parts.tm_mday == 1 && parts.tm_hour == 0 && parts.tm_min == 0;
}

std::int64_t rounded_up_ms(std::string fraction) {
  fraction += "000";
  const bool finer = fraction.find_first_not_of('0', 3) != std::string::npos;
  return std::stoi(fraction.substr(0, 3)) + (finer ? 1 : 0);
}

// Whether `text` has the form of `pattern`, in which 9 stands for any digit, T for t, and ? for a
// sign.
bool has_form(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char as) {
    if (as == '9') return std::string_view("0123456789").find(c) != std::string_view::npos;
    if (as == '?') return c == '+' || c == '-';
    return c == as || (as == 'T' && c == 't');
  });
}

constexpr std::string_view kUpToSeconds = "9999-99-99T99:99:99";

// Takes the fraction out of a time's text.
std::optional<std::string> cut_fraction(std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return "";
  const auto end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  if (point != kUpToSeconds.size() || end == point + 1) return std::nullopt;
  const std::string fraction = text.substr(point + 1, end - point - 1);
  text.erase(point, end - point);
  return fraction;
}

std::optional<std::int64_t> offset_seconds(const std::string& text) {
  if (text == "Z" || text == "z") return 0;
  if (!has_form(text, "?99:99")) return std::nullopt;
  const int hours = std::stoi(text.substr(1, 2));
  const int minutes = std::stoi(text.substr(4, 2));
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (hours * 60 + minutes) * (text[0] == '+' ? 60 : -60);
}

std::optional<std::int64_t> ms_of(std::string text) {
  const auto fraction = cut_fraction(text);
  if (!fraction || !has_form(text.substr(0, kUpToSeconds.size()), kUpToSeconds))
    return std::nullopt;
  const auto offset = offset_seconds(text.substr(kUpToSeconds.size()));
  const auto field = [&](std::size_t at, std::size_t digits) {
    return std::stoi(text.substr(at, digits));
  };
  const int year = field(0, 4), month = field(5, 2), day = field(8, 2);
  const int hour = field(11, 2), minute = field(14, 2), second = field(17, 2);
  if (!offset || !exists(year, month, day) || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  const std::int64_t start = seconds_of(year, month, day, hour, minute) - *offset;
  if (second == 60) {
    return ends_a_month_in_utc(start) ? std::optional((start + 60) * 1000) : std::nullopt;
  }
  return (start + second) * 1000 + rounded_up_ms(*fraction);
}

Time read_time(const Json& value, const std::string& where) {
  if (!value.is_string()) return time_from_ms(read_integer(value, where, kMinMs, kMaxMs));
  const auto ms = ms_of(value.get<std::string>());
  if (!ms || *ms < kMinMs || *ms > kMaxMs) refuse_field(where);
  return time_from_ms(*ms);
}

Op read_op(const Json& record, const std::string& where) {
  if (!record.contains("op")) return Op::kEnqueue;
  const std::array<std::string, 5> names = {"enqueue", "cancel", "retry", "reschedule", "delete"};
  const auto found = std::find(names.begin(), names.end(), read_text(record["op"], where + "/op"));
  if (found == names.end()) refuse_field(where + "/op");
  return static_cast<Op>(found - names.begin());
}

void check_on_done(const Json& record, const std::string& where, Op op) {
  if (op != Op::kEnqueue) refuse_field(where + "/op");
  if (record.contains("bulk")) refuse_field(where + "/bulk");
  if (!record.contains("args")) return;
  if (!record["args"].is_object()) refuse_field(where + "/args");
  if (record["args"].contains("bulk")) refuse_field(where + "/args/bulk");
}

void require(const Json& record, const std::string& where, const char* name) {
  if (!record.contains(name)) refuse_field(where + "/" + name, "is missing");
}

}  // namespace

tl::expected<JobRecord, BadRecord> ReferenceDecoder::decode(std::optional<std::string_view> key,
                                                            std::optional<std::string_view> value,
                                                            std::size_t max_id_bytes) {
  kept_.clear();
  try {
    check_key(key);
    if (!value) refuse(BadReason::kBadJson, "", "a tombstone");
    if (value->size() > kMaxValueBytes) refuse(BadReason::kTooLarge, "", "");
    const Json record = parse(*value);
    if (!record.is_object()) refuse(BadReason::kBadJson, "", "no object");
    JobRecord job = read_record(record, "", max_id_bytes);
    job.account = *key;
    return job;
  } catch (Refused& refused) {
    return tl::unexpected(std::move(refused.bad));
  }
}

JobRecord ReferenceDecoder::read_record(const Json& record, const std::string& where,
                                        std::size_t max_id_bytes) {
  refuse_others(record, where,
                {"type", "id", "args", "run_at", "expires_at", "priority", "weight", "bulk",
                 "unique_key", "meta", "op"});
  JobRecord job;
  job.op = read_op(record, where);
  if (!where.empty()) check_on_done(record, where, job.op);
  if (record.contains("type")) {
    const auto type = read_text(record["type"], where + "/type");
    constexpr auto kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
    const bool good = !type.empty() && type.size() <= 128 &&
                      type.find_first_not_of(kLetters) == std::string::npos;
    if (!good) refuse_field(where + "/type");
    job.type = keep(type);
  }
  if (job.op == Op::kEnqueue) {
    read_job(record, where, max_id_bytes, job);
  } else {
    read_command(record, where, job);
  }
  return job;
}

void ReferenceDecoder::read_job(const Json& record, const std::string& where,
                                std::size_t max_id_bytes, JobRecord& job) {
  const auto with = [&](const char* name, auto&& read) {
    if (record.contains(name)) read(record[name], where + "/" + name);
  };
  require(record, where, "type");
  with("id", [&](auto& id, auto at) { job.id = keep(read_text(id, at, max_id_bytes)); });
  job.args = "{}";
  with("args", [&](auto& args, auto) { job.args = keep(args.dump()); });
  with("run_at", [&](auto& time, auto at) { job.run_at = read_time(time, at); });
  with("expires_at", [&](auto& time, auto at) { job.expires_at = read_time(time, at); });
  with("priority", [&](auto& priority, auto at) {
    job.priority = static_cast<int>(read_integer(priority, at, -1000, 1000));
  });
  with("weight", [&](auto& weight, auto at) {
    job.weight = static_cast<int>(read_integer(weight, at, 1, 100));
  });
  with("bulk", [&](auto& bulk, auto at) { job.bulk = read_bulk(bulk, at); });
  with("unique_key", [&](auto& key, auto at) { job.unique_key = keep(read_text(key, at)); });
  with("meta", [&](auto& meta, auto at) {
    if (!meta.is_object()) refuse_field(at);
    job.meta = keep(meta.dump());
  });
}

void ReferenceDecoder::read_command(const Json& record, const std::string& where,
                                    JobRecord& command) {
  require(record, where, "id");
  command.id = keep(read_text(record["id"], where + "/id", kMaxDerivedIdBytes));
  command.args = "{}";
  if (command.op == Op::kReschedule) {
    require(record, where, "run_at");
    command.run_at = read_time(record["run_at"], where + "/run_at");
  } else if (record.contains("run_at")) {
    refuse_field(where + "/run_at");
  }
  for (const char* name :
       {"args", "expires_at", "priority", "weight", "bulk", "unique_key", "meta"}) {
    if (record.contains(name)) refuse_field(where + "/" + name);
  }
}

BulkRef ReferenceDecoder::read_bulk(const Json& bulk, const std::string& where) {
  if (!bulk.is_object()) refuse_field(where);
  refuse_others(bulk, where, {"id", "index", "size", "on_done"});
  for (const char* name : {"id", "index", "size"}) require(bulk, where, name);
  BulkRef ref;
  ref.id = keep(read_text(bulk["id"], where + "/id", 128));
  ref.size = read_integer(bulk["size"], where + "/size", 1, 1'000'000'000);
  ref.index = read_integer(bulk["index"], where + "/index", 0, ref.size - 1);
  if (bulk.contains("on_done")) {
    if (!bulk["on_done"].is_object()) refuse_field(where + "/on_done");
    (void)read_record(bulk["on_done"], where + "/on_done", kMaxIdBytes);
    ref.on_done = keep(bulk["on_done"].dump());
  }
  return ref;
}

std::string_view ReferenceDecoder::keep(std::string text) {
  return kept_.emplace_back(std::move(text));
}

}  // namespace penstock
