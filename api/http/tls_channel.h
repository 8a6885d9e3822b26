// The server's side of one TLS connection (OpenSSL), without its socket: what the client has sent
// goes in, plain bytes come out; plain bytes go in, what is to be sent to the client comes out.
//
// TLS 1.2 and newer, with ciphers that authenticate (AEAD) and have forward secrecy. Used by one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "topics/values/result.h"

struct ssl_ctx_st;
struct ssl_st;

namespace penstock {

// A certificate and its key. Thread-safe; channels keep what they were made with.
class TlsCertificate {
 public:
  // PEM files; the certificate's may have the chain up to its root. Fails if they cannot be read,
  // or if the key is not that of the certificate.
  [[nodiscard]] static Result<TlsCertificate> load(const std::string& certificate,
                                                   const std::string& key);

 private:
  friend class TlsChannel;
  explicit TlsCertificate(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}

  // Shared with the channels, because the certificate may be replaced while they exist.
  std::shared_ptr<ssl_ctx_st> context_;
};

class TlsChannel {
 public:
  explicit TlsChannel(const TlsCertificate& certificate);
  ~TlsChannel();
  TlsChannel(TlsChannel&&) noexcept;
  TlsChannel& operator=(TlsChannel&&) = delete;

  // Bytes from the client. Appends the plain ones to `plain`. False: the connection is broken or was
  // ended by the client; what take_sealed() returns may still be sent.
  [[nodiscard]] bool received(std::string_view bytes, std::string& plain);
  // Plain bytes for the client. Before the end of the handshake, they wait for it.
  [[nodiscard]] bool send(std::string_view plain);
  // Tells the client that nothing follows.
  void end();
  // What is to be sent to the client now.
  [[nodiscard]] std::string take_sealed();

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  [[nodiscard]] bool write(std::string_view plain);

  std::unique_ptr<ssl_st, Free> ssl_;
  std::string waiting_;  // for the handshake
};

}  // namespace penstock
