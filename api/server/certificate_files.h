// The certificate and key of the config's files, which are read again when they change. Files that
// cannot be used any more leave the certificate as it was, and the log says so. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "api/http/tls_channel.h"
#include "api/server/watched_files.h"

namespace penstock {

class CertificateFiles {
 public:
  using Say = std::function<void(const std::string&)>;

  [[nodiscard]] static Result<std::unique_ptr<CertificateFiles>> open(
      const std::string& certificate, const std::string& key, Say say);
  [[nodiscard]] TlsCertificate current();

 private:
  CertificateFiles(std::string certificate, std::string key, TlsCertificate current, Say say)
      : certificate_(std::move(certificate)),
        key_(std::move(key)),
        say_(std::move(say)),
        files_({certificate_, key_}),
        current_(std::move(current)) {}

  const std::string certificate_, key_;
  const Say say_;
  std::mutex mutex_;
  WatchedFiles files_;
  TlsCertificate current_;
};

}  // namespace penstock
