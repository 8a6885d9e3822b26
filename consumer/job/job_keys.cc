#include "consumer/job/job_keys.h"

#include <algorithm>
#include <vector>

namespace penstock {
namespace {

constexpr std::string_view kMissing = "missing";
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

void JobKeys::of(std::string_view queue, const JobRecord& record) {
  queue_ = queue;
  record_ = record;
  is_parsed_ = false;
}

const JsonTree& JobKeys::args() {
  if (!is_parsed_) tree_.parse(record_.args);
  is_parsed_ = true;
  return tree_;
}

std::string JobKeys::unique_key(const UniquePolicy& policy) {
  std::string key = "[";
  for (const std::string_view part : {queue_, record_.account, record_.type}) {
    append_json_string(key, part);
    key += ',';
  }
  append_what(key, policy);
  return key += ']';
}

std::string JobKeys::unique_name(const UniquePolicy& policy) {
  std::string name;
  append_what(name, policy);
  if (name.size() <= kMaxUniqueNameBytes) return name;
  std::size_t end = kMaxUniqueNameBytes;
  while (end > 0 && continues_character(name[end])) --end;
  name.resize(end);
  return name += "…";
}

void JobKeys::append_what(std::string& out, const UniquePolicy& policy) {
  if (record_.unique_key) {
    out += "{\"key\":";
    append_json_string(out, *record_.unique_key);
  } else if (policy.by.empty()) {
    out += "{\"args\":";
    append_canonical(out, args().root());
  } else {
    out += "{\"by\":";
    append_by(out, policy);
  }
  out += '}';
}

void JobKeys::append_by(std::string& out, const UniquePolicy& policy) {
  // Sorted, so that the order in the configuration makes no difference to the key.
  std::vector<const JsonPointer*> sorted;
  for (const JsonPointer& pointer : policy.by) sorted.push_back(&pointer);
  std::sort(sorted.begin(), sorted.end(),
            [](const JsonPointer* a, const JsonPointer* b) { return a->text < b->text; });
  out += '{';
  for (const JsonPointer* pointer : sorted) {
    if (pointer != sorted.front()) out += ',';
    append_json_string(out, pointer->text);
    out += ':';
    const JsonTree::Node* value = args().find(*pointer);
    // Not null: an absent member differs from one that is null, and no JSON value is this word.
    value != nullptr ? append_canonical(out, *value) : void(out += kMissing);
  }
  out += '}';
}

std::string JobKeys::limit_name(const LimitName& name) {
  std::string filled;
  for (const LimitName::Segment& segment : name.segments) {
    switch (segment.part) {
      case LimitName::Part::kText:
        filled += segment.text;
        break;
      case LimitName::Part::kAccount:
        filled += record_.account;
        break;
      case LimitName::Part::kType:
        filled += record_.type;
        break;
      case LimitName::Part::kQueue:
        filled += queue_;
        break;
      case LimitName::Part::kArgument:
        append_argument(filled, segment.pointer);
        break;
    }
  }
  // The digest of the whole keeps names apart that are equal up to the cut.
  return shortened(std::move(filled), kMaxFilledNameBytes, '#');
}

void JobKeys::append_argument(std::string& out, const JsonPointer& pointer) {
  const JsonTree::Node* value = args().find(pointer);
  if (value == nullptr) {
    out += "null";
  } else if (value->kind == '"') {
    out += value->text;
  } else {
    append_canonical(out, *value);
  }
}

}  // namespace penstock
