// A JSON value as a tree that depends only on the meaning of the text, not on how it is written:
// the members of an object are sorted by name (bytewise), strings are unescaped, and each number
// has one form. Two texts have the same canonical text if and only if their values are equal.
//
//   number := "0" | ["-"] digits | ["-"] digits "e" exponent
//
// The first of these that is exact is used, and the second only up to 21 digits; `digits` does not
// begin with 0, and before "e" it does not end with 0. So 1, 1.0 and 10e-1 are 1; 1.5 is 15e-1; -0
// is 0. Nothing is rounded: 0.1 and 0.10000000000000000001 differ. An exponent above 10^15 counts
// as 10^15.
//
// A tree keeps a copy of the text and reuses its buffers. It belongs to one thread; its results are
// valid until the next parse.
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
    std::string_view text;  // of a string: its value; of a number: as written
    std::vector<std::pair<std::string_view, Node>> members = {};  // sorted by name
    std::vector<Node> elements = {};
  };

  // `text` must have been checked before, as a job's args have been; anything else is a bug.
  void parse(std::string_view text);
  [[nodiscard]] const Node& root() const { return root_; }
  // Null if the pointer leads nowhere.
  [[nodiscard]] const Node* find(const JsonPointer& pointer) const;

 private:
  [[nodiscard]] Node node(JsonToken value);

  JsonDocument document_;
  Node root_;
};

void append_canonical(std::string& out, const JsonTree::Node& node);
void append_json_string(std::string& out, std::string_view text);

}  // namespace penstock
