#include "tests/simulation/replay_program.h"

#include <cstdint>

#include "tests/simulation/settings.h"
#include "tests/simulation/traffic.h"

namespace penstock::simulation {
namespace {

constexpr std::size_t kLongLine = 4096;

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  return hash ^ (hash >> 29);
}

// It looks like no job: half of them are mended.
nlohmann::json mend(const nlohmann::json& line, std::uint64_t hash) {
  nlohmann::json mended = {{"account", line["account"]}, {"type", kType}};
  if (hash % 4 == 0) mended["id"] = "mended-" + std::to_string(hash % 1000);
  return hash % 2 == 0 ? mended : nlohmann::json();
}

}  // namespace

std::vector<std::string> program_of(std::string_view replay) {
  return {"/program", std::string(replay)};
}

nlohmann::json line_of(std::string_view account, std::string_view value) {
  nlohmann::json line = nlohmann::json::parse(value, nullptr, false);
  // What repeats a member is no record, which this parser does not say: one such is made.
  if (!line.is_object() || line.value("type", "") == "twice") line = {{"value", value}};
  line["account"] = account;
  return line;
}

nlohmann::json answer_to(const nlohmann::json& line) {
  const std::string text = line.dump();
  if (text.size() > kLongLine) return {};
  const std::uint64_t hash = hash_of(text);
  if (!line.contains("type")) return mend(line, hash / 8);
  nlohmann::json answer = line;
  const bool is_plain = line["type"] == kType;
  switch (hash % 8) {
    case 0:
      return {};
    case 1:
      answer["typo"] = answer["type"];  // no job record
      return answer;
    case 2:
      if (is_plain) answer["args"]["through"] = hash % 97;
      return answer;
    case 3:
      answer["priority"] = static_cast<int>(hash / 8 % 5) - 2;
      answer["meta"] = {{"by", "program"}};
      return answer;
    case 4:
      if (is_plain) answer["account"] = account(hash / 8 % kAccounts);
      return answer;
    default:
      return answer;
  }
}

}  // namespace penstock::simulation
