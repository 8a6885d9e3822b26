#include "api/http/tls_channel.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <climits>
#include <utility>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::size_t kPieceBytes = 16 << 10;  // a TLS record's

std::string last_error() {
  const unsigned long code = ::ERR_get_error();
  ::ERR_clear_error();
  std::array<char, 256> text{};
  ::ERR_error_string_n(code, text.data(), text.size());
  return code == 0 ? "no reason is known" : text.data();
}

int no_password(char*, int, int, void*) { return 0; }

}  // namespace

Result<TlsCertificate> TlsCertificate::load(const std::string& certificate,
                                            const std::string& key) {
  std::shared_ptr<SSL_CTX> context(::SSL_CTX_new(::TLS_server_method()), ::SSL_CTX_free);
  PENSTOCK_CHECK(context != nullptr, "OpenSSL has memory for a context");
  ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                           SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Of TLS 1.2, only what keeps recorded traffic secret when the key becomes known.
  ::SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20");
  ::SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  // Otherwise OpenSSL would ask for a key's password on the terminal.
  ::SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  if (::SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1)
    return failure("cannot use the certificate " + certificate + ": " + last_error());
  if (::SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
    return failure("cannot use the key " + key + ": " + last_error());
  if (::SSL_CTX_check_private_key(context.get()) != 1)
    return failure("the key " + key + " does not belong to the certificate " + certificate);
  return TlsCertificate(std::move(context));
}

void TlsChannel::Free::operator()(SSL* ssl) const { ::SSL_free(ssl); }

TlsChannel::TlsChannel(const TlsCertificate& certificate)
    : ssl_(::SSL_new(certificate.context_.get())) {
  PENSTOCK_CHECK(ssl_ != nullptr, "OpenSSL has memory for a connection");
  // The connection owns both.
  ::SSL_set_bio(ssl_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
  ::SSL_set_accept_state(ssl_.get());
}
TlsChannel::~TlsChannel() = default;
TlsChannel::TlsChannel(TlsChannel&&) noexcept = default;

bool TlsChannel::received(std::string_view bytes, std::string& plain) {
  if (bytes.size() > INT_MAX) return false;
  ::BIO_write(::SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
  std::array<char, kPieceBytes> piece;
  for (;;) {
    ::ERR_clear_error();
    const int got = ::SSL_read(ssl_.get(), piece.data(), static_cast<int>(piece.size()));
    if (got > 0) {
      plain.append(piece.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (::SSL_get_error(ssl_.get(), got) != SSL_ERROR_WANT_READ) return false;
    break;
  }
  if (waiting_.empty() || ::SSL_is_init_finished(ssl_.get()) == 0) return true;
  return write(std::exchange(waiting_, {}));
}

bool TlsChannel::send(std::string_view plain) {
  if (::SSL_is_init_finished(ssl_.get()) != 0) return write(plain);
  waiting_ += plain;
  return true;
}

bool TlsChannel::write(std::string_view plain) {
  while (!plain.empty()) {
    const std::string_view piece = plain.substr(0, kPieceBytes);
    ::ERR_clear_error();
    if (::SSL_write(ssl_.get(), piece.data(), static_cast<int>(piece.size())) <= 0) return false;
    plain.remove_prefix(piece.size());
  }
  return true;
}

void TlsChannel::end() {
  ::ERR_clear_error();
  ::SSL_shutdown(ssl_.get());
}

std::string TlsChannel::take_sealed() {
  BIO* const out = ::SSL_get_wbio(ssl_.get());
  std::string sealed(::BIO_ctrl_pending(out), '\0');
  if (!sealed.empty()) ::BIO_read(out, sealed.data(), static_cast<int>(sealed.size()));
  return sealed;
}

}  // namespace penstock
