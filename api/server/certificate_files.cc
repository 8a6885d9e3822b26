#include "api/server/certificate_files.h"

#include <utility>

namespace penstock {

Result<std::unique_ptr<CertificateFiles>> CertificateFiles::open(const std::string& certificate,
                                                                 const std::string& key, Say say) {
  auto loaded = TlsCertificate::load(certificate, key);
  if (!loaded) return tl::unexpected(loaded.error());
  return std::unique_ptr<CertificateFiles>(
      new CertificateFiles(certificate, key, *std::move(loaded), std::move(say)));
}

TlsCertificate CertificateFiles::current() {
  const std::lock_guard lock(mutex_);
  if (!files_.have_changed()) return current_;
  auto loaded = TlsCertificate::load(certificate_, key_);
  if (loaded) {
    current_ = *std::move(loaded);
    say_("the certificate was read again");
  } else {
    say_(loaded.error().message + "; the certificate stays as it was");
  }
  return current_;
}

}  // namespace penstock
