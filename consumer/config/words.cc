#include "consumer/config/words.h"

#include <optional>
#include <utility>

namespace penstock {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kEscapedInDoubleQuotes = "$`\"\\\n";

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : rest_(text) {}

  Result<std::vector<std::string>> split() {
    while (!rest_.empty()) {
      if (Status step = take(next()); !step) return tl::unexpected(step.error());
    }
    end_word();
    return std::move(words_);
  }

 private:
  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Status take(char c) {
    if (kBlanks.find(c) != kBlanks.npos) {
      end_word();
      return {};
    }
    if (c == '\\') return take_escaped();
    if (c == '\'') return take_single_quoted();
    if (c == '"') return take_double_quoted();
    put(c);
    return {};
  }

  Status take_escaped() {
    if (rest_.empty())
      return failure("found a backslash at the end, expected a character after it");
    if (const char c = next(); c != '\n') put(c);  // an escaped newline joins two lines
    return {};
  }

  Status take_single_quoted() {
    begin_word();
    const std::size_t end = rest_.find('\'');
    if (end == rest_.npos) return failure("found a ' that is not closed, expected another '");
    word_->append(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return {};
  }

  Status take_double_quoted() {
    begin_word();
    while (!rest_.empty()) {
      char c = next();
      if (c == '"') return {};
      const bool escapes = c == '\\' && !rest_.empty() &&
                           kEscapedInDoubleQuotes.find(rest_.front()) != std::string_view::npos;
      if (escapes) c = next();
      if (!(escapes && c == '\n')) put(c);
    }
    return failure("found a \" that is not closed, expected another \"");
  }

  void put(char c) {
    begin_word();
    word_->push_back(c);
  }

  void begin_word() {
    if (!word_) word_.emplace();
  }

  void end_word() {
    if (word_) words_.push_back(*std::move(word_));
    word_.reset();
  }

  std::string_view rest_;
  std::optional<std::string> word_;  // present once a word has begun: '' is an empty word
  std::vector<std::string> words_;
};

}  // namespace

Result<std::vector<std::string>> split_words(std::string_view text) {
  return WordSplitter(text).split();
}

}  // namespace penstock
