// A JSON value as a tree that depends on what the text means and not on how it is written: the
// members of an object are sorted by name (by bytes), strings are unescaped, and a number has one
// form. Two texts with equal values have the same canonical text, any others have not.
//
//   number := "0" | ["-"] digits | ["-"] digits "e" exponent
//
// of which the first that is exact is taken, with at most 21 digits for the second; `digits` begin
// and, before "e", end with no 0. So 1, 1.0 and 10e-1 are 1; 1.5 is 15e-1; -0 is 0; nothing is
// rounded: 0.1 and 0.10000000000000000001 differ. A written exponent counts as at most 10^15.
//
// A tree keeps a copy of the text, and its buffers for the next one. For one thread; what it shows
// is valid until the next parse.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topics/json/json_document.h"
#include "topics/json/json_pointer.h"

namespace penstock {

class JsonTree {
 public:
  struct Node {
    char kind = 'n';        // one of { [ " t f n, and 0 for a number
    std::string_view text;  // of a string: what it means; of a number: as it was written
    std::vector<std::pair<std::string_view, Node>> members = {};  // sorted by name
    std::vector<Node> elements = {};
  };

  // A text that was checked before, such as a job's args; anything else is a bug.
  void parse(std::string_view text);
  [[nodiscard]] const Node& root() const { return root_; }
  // Null where the pointer leads nowhere.
  [[nodiscard]] const Node* find(const JsonPointer& pointer) const;

 private:
  [[nodiscard]] Node node(JsonToken value);

  JsonDocument document_;
  Node root_;
};

void append_canonical(std::string& out, const JsonTree::Node& node);
void append_json_string(std::string& out, std::string_view text);

}  // namespace penstock
