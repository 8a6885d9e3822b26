// What makes two jobs the same, and what a job counts under: its unique key and the names of its
// limits, as texts.
//
//   unique key := "[" queue "," account "," type "," what "]"
//   what       := {"key": the record's unique_key}
//               | {"args": all the arguments}             the policy's `by` is empty
//               | {"by": {pointer: value, ...}}           sorted by pointer
//
// in canonical JSON (topics/json/json_tree.h); the value of a pointer that leads nowhere is the word
// missing, which is no JSON value. So two jobs share a key exactly when queue, account and type are
// the same and the selected arguments are equal: the order of members, white space, escapes, and 1
// against 1.0 make no difference; an absent member and null do.
//
// A limit's name is the policy's text with its placeholders filled in: texts as they are, anything
// else in canonical JSON, "null" for a pointer that leads nowhere. A name longer than
// kMaxFilledNameBytes is cut, and ends with "#" and the digest of the whole.
//
// For one thread; what a record shows must outlive the calls after of().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "consumer/policy/limit_name.h"
#include "consumer/policy/policy.h"
#include "state/rows/digest.h"
#include "topics/json/json_tree.h"
#include "topics/record/job_record.h"

namespace penstock {

inline constexpr std::size_t kMaxFilledNameBytes = 512;
inline constexpr std::size_t kMaxUniqueNameBytes = 160;

class JobKeys {
 public:
  // The job that the keys are of, from now on. `record` is a decoded one, so its args are good
  // JSON.
  void of(std::string_view queue, const JobRecord& record);

  [[nodiscard]] std::string unique_key(const UniquePolicy& policy);
  // What tells the key from others of queue, account and type, for a person: cut at
  // kMaxUniqueNameBytes.
  [[nodiscard]] std::string unique_name(const UniquePolicy& policy);
  [[nodiscard]] std::string limit_name(const LimitName& name);

 private:
  [[nodiscard]] const JsonTree& args();  // parsed when first needed
  void append_what(std::string& out, const UniquePolicy& policy);
  void append_by(std::string& out, const UniquePolicy& policy);
  void append_argument(std::string& out, const JsonPointer& pointer);

  std::string_view queue_;
  JobRecord record_;
  JsonTree tree_;
  bool is_parsed_ = false;
};

// What the state keeps of a unique key.
[[nodiscard]] inline Digest unique_digest(std::string_view account, std::string_view unique_key) {
  return account_digest(account, unique_key);
}

}  // namespace penstock
