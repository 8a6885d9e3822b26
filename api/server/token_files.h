// The tokens of the config's files, which are read again when they change: within kLookEvery of the
// change, at the next request. A file that cannot be used any more leaves the tokens as they were,
// and the log says so.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "api/server/tokens.h"
#include "api/server/watched_files.h"
#include "consumer/config/config.h"

namespace penstock {

class TokenFiles {
 public:
  using Say = std::function<void(const std::string&)>;

  [[nodiscard]] static Result<std::unique_ptr<TokenFiles>> open(const HttpConfig& http, Say say);

  // Shared with requests, because the tokens may be replaced meanwhile.
  [[nodiscard]] std::shared_ptr<const AccessTokens> tokens();

 private:
  TokenFiles(const HttpConfig& http, Say say);

  const std::string token_file_, tokens_file_;
  const Say say_;
  std::mutex mutex_;
  WatchedFiles files_;
  std::shared_ptr<const AccessTokens> tokens_;
};

// What the files of the config contain. Fails if one cannot be read or used.
[[nodiscard]] Result<AccessTokens> read_tokens(const std::string& token_file,
                                               const std::string& tokens_file);

// The first line of a token file; empty if `path` is empty. Fails if it is empty or cannot be read.
[[nodiscard]] Result<std::string> read_token_file(const std::string& path);

}  // namespace penstock
