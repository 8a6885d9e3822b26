#include "topics/record/job_members.h"

namespace penstock {
namespace {

constexpr std::array<std::string_view, kJobMembers> kNames = {
    "op",       "type",   "id",   "args",       "run_at", "expires_at",
    "priority", "weight", "bulk", "unique_key", "meta"};

// The only member that a name with this length and first letter can be.
std::optional<JobMember> candidate(std::string_view name) {
  switch (name.size()) {
    case 2:
      return name[0] == 'i' ? JobMember::kId : JobMember::kOp;
    case 4:
      switch (name[0]) {
        case 't':
          return JobMember::kType;
        case 'a':
          return JobMember::kArgs;
        case 'b':
          return JobMember::kBulk;
        default:
          return JobMember::kMeta;
      }
    case 6:
      return name[0] == 'r' ? JobMember::kRunAt : JobMember::kWeight;
    case 8:
      return JobMember::kPriority;
    case 10:
      return name[0] == 'e' ? JobMember::kExpiresAt : JobMember::kUniqueKey;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view name_of(JobMember member) { return kNames[static_cast<std::size_t>(member)]; }

std::optional<JobMember> job_member(std::string_view name) {
  const auto member = candidate(name);
  return member && name_of(*member) == name ? member : std::nullopt;
}

JobMembers::JobMembers(JsonDocument& document, JsonToken record) {
  document.each_member(record, [this](std::string_view name, JsonToken value) {
    if (const auto member = job_member(name)) {
      tokens_[static_cast<std::size_t>(*member)] = value;
    } else if (!unknown_) {
      unknown_ = name;
    }
  });
}

}  // namespace penstock
