#include "api/server/token_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace penstock {
namespace {

constexpr std::streamsize kMaxTokenBytes = 4'096;
constexpr const char* kWholeToken = "token_file";  // its name in the audit log

Result<std::string> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(AccessTokens::kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open()) return failure("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

Result<std::string> read_token_file(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::string token(static_cast<std::size_t>(kMaxTokenBytes), '\0');
  file.read(token.data(), kMaxTokenBytes);
  token.resize(file.is_open() ? static_cast<std::size_t>(file.gcount()) : 0);
  token.resize(std::min(token.size(), token.find_first_of("\r\n")));
  if (!token.empty()) return token;
  return failure("cannot read a token from /http/token_file, " + path +
                 ": make it a file that this user may read, with the token on its first line");
}

Result<AccessTokens> read_tokens(const std::string& token_file, const std::string& tokens_file) {
  AccessTokens tokens;
  if (!tokens_file.empty()) {
    const auto text = read_whole(tokens_file);
    auto several = text ? AccessTokens::parse(*text) : tl::unexpected(text.error());
    if (!several)
      return failure("cannot use /http/tokens, " + tokens_file + ": " + several.error().message);
    tokens = *std::move(several);
  }
  if (!token_file.empty()) {
    const auto token = read_token_file(token_file);
    if (!token) return tl::unexpected(token.error());
    const Status added = tokens.add({.name = kWholeToken,
                                     .hash = hash_of_token(*token),
                                     .reads = true,
                                     .produces = true,
                                     .operates = true});
    if (!added) return failure("/http/token_file: " + added.error().message);
  }
  return tokens;
}

TokenFiles::TokenFiles(const HttpConfig& http, Say say)
    : token_file_(http.token_file),
      tokens_file_(http.tokens),
      say_(std::move(say)),
      files_({http.token_file, http.tokens}) {}

Result<std::unique_ptr<TokenFiles>> TokenFiles::open(const HttpConfig& http, Say say) {
  std::unique_ptr<TokenFiles> files(new TokenFiles(http, std::move(say)));
  auto tokens = read_tokens(http.token_file, http.tokens);
  if (!tokens) return tl::unexpected(tokens.error());
  files->tokens_ = std::make_shared<AccessTokens>(*std::move(tokens));
  return files;
}

std::shared_ptr<const AccessTokens> TokenFiles::tokens() {
  const std::lock_guard lock(mutex_);
  if (!files_.have_changed()) return tokens_;
  auto tokens = read_tokens(token_file_, tokens_file_);
  if (tokens) {
    tokens_ = std::make_shared<AccessTokens>(*std::move(tokens));
    say_("the tokens were read again");
  } else {
    say_(tokens.error().message + "; the tokens stay as they were");
  }
  return tokens_;
}

}  // namespace penstock
