#include "consumer/policy/limit_name.h"

#include <algorithm>
#include <utility>

namespace penstock {
namespace {

using Part = LimitName::Part;

constexpr std::string_view kArguments = "args/";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// `inside` is the text between the braces.
Result<LimitName::Segment> read_placeholder(std::string_view inside) {
  if (inside == "account") return LimitName::Segment{Part::kAccount};
  if (inside == "type") return LimitName::Segment{Part::kType};
  if (inside == "queue") return LimitName::Segment{Part::kQueue};
  if (!inside.starts_with(kArguments)) {
    return failure("found the placeholder {" + std::string(inside) +
                   "}, expected {account}, {type}, {queue} or {args/NAME}");
  }
  // With the slash: a pointer begins with one.
  auto pointer = parse_json_pointer(inside.substr(kArguments.size() - 1));
  if (!pointer) return tl::unexpected(pointer.error());
  return LimitName::Segment{Part::kArgument, {}, *std::move(pointer)};
}

Status check_text(std::string_view text) {
  if (text.empty() || text.size() > kMaxLimitNameBytes) {
    return failure("found " + std::to_string(text.size()) + " bytes, expected a name of 1 to " +
                   std::to_string(kMaxLimitNameBytes));
  }
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return failure("found a control character, expected a name without one");
  }
  return {};
}

}  // namespace

bool LimitName::has(Part part) const {
  return std::any_of(segments.begin(), segments.end(),
                     [part](const Segment& segment) { return segment.part == part; });
}

bool LimitName::could_be(std::string_view name) const {
  if (name == text) return true;
  bool open = false;  // a placeholder precedes
  for (const Segment& segment : segments) {
    const bool fixed = segment.part == Part::kText;
    if (!fixed) {
      open = true;
      continue;
    }
    // The last text must be at the end, so for it the first match would be the wrong one.
    if (open && &segment == &segments.back()) return name.ends_with(segment.text);
    // The first match is enough: a placeholder may have been filled in with anything that comes
    // later.
    const std::size_t at = open ? name.find(segment.text) : 0;
    if (at == name.npos || !name.substr(at).starts_with(segment.text)) return false;
    name.remove_prefix(at + segment.text.size());
    open = false;
  }
  return open || name.empty();
}

Result<LimitName> parse_limit_name(std::string_view text) {
  if (Status good = check_text(text); !good) return tl::unexpected(good.error());
  LimitName name{std::string(text), {}};
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
    if (brace > 0) name.segments.push_back({Part::kText, std::string(text.substr(0, brace))});
    text.remove_prefix(brace);
    if (text.empty()) break;
    const std::size_t end = text.find('}');
    if (text.front() == '}' || end == text.npos) {
      return failure("found \"" + name.text + "\", expected matching { and }");
    }
    auto segment = read_placeholder(text.substr(1, end - 1));
    if (!segment) return tl::unexpected(segment.error());
    name.segments.push_back(*std::move(segment));
    text.remove_prefix(end + 1);
  }
  return name;
}

}  // namespace penstock
