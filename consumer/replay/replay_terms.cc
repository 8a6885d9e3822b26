#include "consumer/replay/replay_terms.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "state/rows/digest.h"
#include "topics/json/json_tree.h"
#include "topics/record/job_record.h"
#include "topics/values/rfc3339.h"
#include "topics/values/utf8.h"

namespace penstock {
namespace {

using ReplayJson = nlohmann::json;

constexpr std::size_t kMaxThroughWords = 64;

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string canonical_text(std::string_view json) {
  JsonTree tree;
  tree.parse(json);
  std::string text;
  append_canonical(text, tree.root());
  return text;
}

// Copying a value, or writing it, takes stack for each level of it.
bool is_deeper(const ReplayJson& json, int levels) {
  if (!json.is_structured()) return false;
  return levels == 0 || std::any_of(json.begin(), json.end(), [levels](const ReplayJson& value) {
           return is_deeper(value, levels - 1);
         });
}

// Reads the members of the terms; the first fault ends it.
class TermsReader {
 public:
  explicit TermsReader(const ReplayJson& json) : json_(json) {}

  Result<ReplayTerms> read(std::string* at_fault) {
    if (is_deeper(json_, kMaxDepth)) {
      return failure("arrays and objects are more than " + std::to_string(kMaxDepth) + " deep");
    }
    if (!json_.is_object()) return failure("found " + excerpt(json_) + ", expected a JSON object");
    for (const auto& [name, value] : json_.items()) {
      if (const std::string wrong = read_member(name, value); !wrong.empty()) {
        if (at_fault) append_to_pointer(*at_fault, name);
        return failure("\"" + name + "\": " + wrong);
      }
    }
    if (const Misfit misfit = find_misfit(); misfit.wrong) {
      if (at_fault) append_to_pointer(*at_fault, misfit.member);
      return failure(misfit.wrong);
    }
    return std::move(terms_);
  }

 private:
  static std::string excerpt(const ReplayJson& value) {
    std::string text = value.dump(-1, ' ', false, ReplayJson::error_handler_t::replace);
    if (text.size() > 80) text = text.substr(0, 77) + "...";
    return text;
  }
  static std::string expected(const ReplayJson& value, std::string_view what) {
    return "found " + excerpt(value) + ", expected " + std::string(what);
  }

  std::string read_member(const std::string& name, const ReplayJson& value) {
    if (name == "from") return read_time(value, terms_.from);
    if (name == "to") return read_time(value, terms_.to);
    if (name == "offsets") return read_offsets(value);
    if (name == "dead") return read_flag(value, terms_.dead);
    if (name == "keep_expiry") return read_flag(value, terms_.keep_expiry);
    if (name == "reasons") return read_reasons(value);
    if (name == "ids") return read_texts(value, terms_.ids, kMaxDerivedIdBytes);
    if (name == "types") return read_texts(value, terms_.types, kMaxTypeBytes);
    if (name == "accounts") return read_texts(value, terms_.accounts, kMaxAccountBytes);
    if (name == "where") return read_where(value);
    if (name == "rate") return read_rate(value);
    if (name == "concurrency") return read_concurrency(value);
    if (name == "max_dead") return read_max_dead(value);
    if (name == "to_queue") return read_queue(value);
    if (name == "through") return read_through(value);
    return "a replay has no such member";
  }

  static std::string read_time(const ReplayJson& value, std::optional<Time>& out) {
    if (value.is_number_integer()) {
      out = time_from_ms(value.get<std::int64_t>());
      return out >= kMinTime && out <= kMaxTime ? ""
                                                : expected(value, "a time of the years 0 to 9999");
    }
    if (value.is_string()) out = parse_rfc3339(value.get_ref<const std::string&>());
    if (out) return {};
    return expected(value, "a time such as \"2026-03-01T12:00:00Z\", or milliseconds since 1970");
  }

  static std::string read_flag(const ReplayJson& value, bool& out) {
    if (!value.is_boolean()) return expected(value, "true or false");
    out = value.get<bool>();
    return {};
  }

  static std::string read_texts(const ReplayJson& value, std::vector<std::string>& out,
                                std::size_t most) {
    const std::string what = "an array of texts of 1 to " + std::to_string(most) + " bytes";
    if (!value.is_array() || value.empty()) return expected(value, what);
    for (const ReplayJson& text : value) {
      if (!text.is_string() || text.get_ref<const std::string&>().empty() ||
          text.get_ref<const std::string&>().size() > most)
        return expected(text, what);
      // No job has such a name, and the control topic could not keep it as it is.
      if (!is_utf8(text.get_ref<const std::string&>())) return expected(text, "UTF-8");
      out.push_back(text.get<std::string>());
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return {};
  }

  std::string read_reasons(const ReplayJson& value) {
    if (std::string wrong = read_texts(value, terms_.reasons, 32); !wrong.empty()) return wrong;
    std::string known;
    for (const DeadReason reason : kDeadReasons)
      known.append(known.empty() ? "" : ", ").append(to_string(reason));
    for (const std::string& reason : terms_.reasons) {
      if (!dead_reason_of(reason)) return "found \"" + reason + "\", expected one of " + known;
    }
    return {};
  }

  std::string read_where(const ReplayJson& value) {
    if (!value.is_object()) return expected(value, "an object such as {\"/segment_id\": 7}");
    for (const auto& [pointer, wanted] : value.items()) {
      auto parsed = parse_json_pointer(pointer);
      if (!parsed) return parsed.error().message;
      // A text of the command line need not be UTF-8, and dump() would throw.
      if (wanted.is_string() && !is_utf8(wanted.get_ref<const std::string&>()))
        return expected(wanted, "UTF-8");
      terms_.where.push_back({std::move(*parsed), canonical_text(wanted.dump())});
    }
    std::sort(terms_.where.begin(), terms_.where.end(),
              [](const auto& a, const auto& b) { return a.pointer.text < b.pointer.text; });
    return {};
  }

  std::string read_rate(const ReplayJson& value) {
    auto rate = value.is_string() ? parse_rate(value.get_ref<const std::string&>())
                                  : failure(expected(value, "a rate such as \"100/s\""));
    if (!rate) return rate.error().message;
    terms_.rate = *rate;
    return {};
  }

  std::string read_concurrency(const ReplayJson& value) {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 1 ||
        value.get<std::int64_t>() > kMaxReplayConcurrency)
      return expected(value, "an integer from 1 to " + std::to_string(kMaxReplayConcurrency));
    terms_.concurrency = value.get<int>();
    return {};
  }

  std::string read_max_dead(const ReplayJson& value) {
    const auto percent = value.is_string()
                             ? parse_percentage(value.get_ref<const std::string&>())
                             : failure(expected(value, "a percentage such as \"1%\""));
    if (!percent) return percent.error().message;
    terms_.max_dead = *percent;
    return {};
  }

  std::string read_queue(const ReplayJson& value) {
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      return expected(value, "the name of a queue");
    terms_.to_queue = value.get<std::string>();
    return {};
  }

  std::string read_through(const ReplayJson& value) {
    std::vector<std::string> words;
    if (!value.is_array() || value.empty() || value.size() > kMaxThroughWords)
      return expected(value, "an array of a program's absolute path and its arguments");
    for (const ReplayJson& word : value) {
      if (!word.is_string()) return expected(word, "a text");
      words.push_back(word.get<std::string>());
    }
    if (!words.front().starts_with('/'))
      return "found \"" + words.front() + "\", expected an absolute path";
    terms_.through = std::move(words);
    return {};
  }

  static bool is_offset(const ReplayJson& value) {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost;
  }

  std::string read_offsets(const ReplayJson& value) {
    // An empty one would mean every record, which nobody writes on purpose.
    if (!value.is_object() || value.empty())
      return expected(value, "an object such as {\"0\": [100, 200]}");
    for (const auto& [partition, range] : value.items()) {
      int number = -1;
      const char* const end = partition.data() + partition.size();
      const auto [stopped, error] = std::from_chars(partition.data(), end, number);
      if (error != std::errc{} || stopped != end || number < 0)
        return "found \"" + partition + "\", expected the number of a partition";
      const bool good = range.is_array() && range.size() == 2 && is_offset(range[0]) &&
                        (range[1].is_null() || (is_offset(range[1]) && range[0] <= range[1]));
      if (!good) {
        return expected(range, "[from, to], where to is excluded, not below from, and may be null");
      }
      ReplayTerms::Offsets offsets{Offset{range[0].get<std::int64_t>()}, std::nullopt};
      if (!range[1].is_null()) offsets.to = Offset{range[1].get<std::int64_t>()};
      terms_.offsets.emplace(number, offsets);
    }
    return {};
  }

  // Members that do not go together, and the one to leave out.
  struct Misfit {
    const char* member = nullptr;
    const char* wrong = nullptr;
  };
  [[nodiscard]] Misfit find_misfit() const {
    if (!terms_.offsets.empty() && (terms_.from || terms_.to))
      return {"offsets", "found both offsets and times, expected one of them"};
    if (!terms_.offsets.empty() && terms_.dead) {
      return {"offsets",
              "found \"offsets\" with \"dead\": offsets are those of the queue's topic; use times"};
    }
    if (!terms_.reasons.empty() && !terms_.dead)
      return {"reasons", "found \"reasons\" without \"dead\": only dead jobs have a reason"};
    if (terms_.from && terms_.to && *terms_.from >= *terms_.to)
      return {"to", "\"from\" is not before \"to\""};
    if (!terms_.to_queue.empty() && terms_.concurrency) {
      return {
          "concurrency",
          "found \"concurrency\" with \"to_queue\": the copies run in that queue, so limit their "
          "types there"};
    }
    if (!terms_.to_queue.empty() && terms_.max_dead) {
      return {"max_dead",
              "found \"max_dead\" with \"to_queue\": the copies end in that queue, which this one "
              "does not see"};
    }
    return {};
  }

  const ReplayJson& json_;
  ReplayTerms terms_;
};

std::string percentage_text(double percent) {
  std::string text = std::to_string(percent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "%";
}

}  // namespace

Status check_replay_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kMaxReplayNameBytes &&
                    std::all_of(name.begin(), name.end(), is_name_character);
  if (good) return {};
  return failure("found the replay's name \"" + std::string(name.substr(0, 80)) +
                 "\", expected 1 to " + std::to_string(kMaxReplayNameBytes) + " of A-Za-z0-9._-");
}

Result<double> parse_percentage(std::string_view text) {
  double percent = -1;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, percent);
  const bool good = error == std::errc{} && stopped + 1 == end && *stopped == '%' &&
                    std::isfinite(percent) && percent >= 0 && percent <= 100;
  if (!good)
    return failure("found \"" + std::string(text) + "\", expected a percentage such as \"1%\"");
  return percent;
}

Result<ReplayTerms> parse_replay_terms(const ReplayJson& json, std::string* at_fault) {
  return TermsReader(json).read(at_fault);
}

nlohmann::ordered_json to_json(const ReplayTerms& terms) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (terms.from) json["from"] = format_rfc3339(*terms.from);
  if (terms.to) json["to"] = format_rfc3339(*terms.to);
  for (const auto& [partition, range] : terms.offsets) {
    json["offsets"][std::to_string(partition)] = {
        range.from.value, range.to ? nlohmann::ordered_json(range.to->value) : nullptr};
  }
  if (terms.dead) json["dead"] = true;
  if (!terms.reasons.empty()) json["reasons"] = terms.reasons;
  if (!terms.ids.empty()) json["ids"] = terms.ids;
  if (!terms.types.empty()) json["types"] = terms.types;
  if (!terms.accounts.empty()) json["accounts"] = terms.accounts;
  for (const ReplayTerms::Where& where : terms.where)
    json["where"][where.pointer.text] = nlohmann::ordered_json::parse(where.value);
  if (terms.rate) json["rate"] = rate_text(*terms.rate);
  if (terms.concurrency) json["concurrency"] = *terms.concurrency;
  if (terms.max_dead) json["max_dead"] = percentage_text(*terms.max_dead);
  if (!terms.to_queue.empty()) json["to_queue"] = terms.to_queue;
  if (!terms.through.empty()) json["through"] = terms.through;
  if (terms.keep_expiry) json["keep_expiry"] = true;
  return json;
}

std::string copy_id_prefix(std::string_view name) {
  return std::string(kCopyPrefix).append(name).append("/");
}

void write_copy_id(std::string& out, std::string_view name, std::string_view of) {
  out.assign(kCopyPrefix).append(name).append("/");
  if (out.size() + of.size() <= kMaxDerivedIdBytes) {
    out.append(of);
  } else {
    out.append(shortened(std::string(of), kMaxDerivedIdBytes - out.size(), '~'));
  }
}

std::string copy_id(std::string_view name, std::string_view of) {
  std::string id;
  write_copy_id(id, name, of);
  return id;
}

std::string_view replay_of_copy(std::string_view copy_id) {
  if (!copy_id.starts_with(kCopyPrefix)) return {};
  copy_id.remove_prefix(kCopyPrefix.size());
  return copy_id.substr(0, copy_id.find('/'));
}

}  // namespace penstock
