// A TLS client without a socket, and a self-signed certificate in files of its own.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace penstock {

class TestCertificate {
 public:
  // `name` is its common name, by which a client tells which one it got.
  explicit TestCertificate(const std::string& name)
      : certificate(path(name, "crt")), key(path(name, "key")) {
    const std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)> pair(::EVP_EC_gen("P-256"),
                                                                     ::EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&::X509_free)> x509(::X509_new(), ::X509_free);
    ::ASN1_INTEGER_set(::X509_get_serialNumber(x509.get()), 1);
    ::X509_gmtime_adj(::X509_getm_notBefore(x509.get()), -60);
    ::X509_gmtime_adj(::X509_getm_notAfter(x509.get()), 3600);
    ::X509_set_pubkey(x509.get(), pair.get());
    X509_NAME* const subject = ::X509_get_subject_name(x509.get());
    ::X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    ::X509_set_issuer_name(x509.get(), subject);
    ::X509_sign(x509.get(), pair.get(), ::EVP_sha256());
    write(certificate, [&](FILE* file) { ::PEM_write_X509(file, x509.get()); });
    write(key, [&](FILE* file) {
      ::PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
    });
  }
  ~TestCertificate() {
    std::filesystem::remove(certificate);
    std::filesystem::remove(key);
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  const std::string certificate, key;

 private:
  static std::string path(const std::string& name, const char* end) {
    return (std::filesystem::temp_directory_path() /
            ("penstock-tls-" + std::to_string(::getpid()) + "-" + name + "." + end));
  }
  template <typename Write>
  static void write(const std::string& path, Write write) {
    FILE* const file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    write(file);
    std::fclose(file);
  }
};

class TlsClient {
 public:
  TlsClient() : context_(::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free) {
    ssl_.reset(::SSL_new(context_.get()));
    ::SSL_set_bio(ssl_.get(), ::BIO_new(::BIO_s_mem()), ::BIO_new(::BIO_s_mem()));
    ::SSL_set_connect_state(ssl_.get());
  }

  // Bytes from the server; the plain ones are appended to `plain`.
  void received(std::string_view bytes) {
    ::BIO_write(::SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(bytes.size()));
    char piece[4096];
    for (int got = 0; (got = ::SSL_read(ssl_.get(), piece, sizeof piece)) > 0;)
      plain.append(piece, static_cast<std::size_t>(got));
  }
  [[nodiscard]] bool send(std::string_view text) {
    return ::SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) > 0;
  }
  // What is to be sent to the server; begins the handshake.
  std::string take() {
    if (!connected()) ::SSL_do_handshake(ssl_.get());
    BIO* const out = ::SSL_get_wbio(ssl_.get());
    std::string bytes(::BIO_ctrl_pending(out), '\0');
    if (!bytes.empty()) ::BIO_read(out, bytes.data(), static_cast<int>(bytes.size()));
    return bytes;
  }
  [[nodiscard]] bool connected() const { return ::SSL_is_init_finished(ssl_.get()) != 0; }
  // The common name of the server's certificate.
  [[nodiscard]] std::string server_name() const {
    const std::unique_ptr<X509, decltype(&::X509_free)> of(::SSL_get1_peer_certificate(ssl_.get()),
                                                           ::X509_free);
    char name[256] = "";
    if (of)
      ::X509_NAME_get_text_by_NID(::X509_get_subject_name(of.get()), NID_commonName, name,
                                  sizeof name);
    return name;
  }
  [[nodiscard]] std::string version() const { return ::SSL_get_version(ssl_.get()); }
  void at_most(int version) { ::SSL_set_max_proto_version(ssl_.get(), version); }

  std::string plain;

 private:
  std::unique_ptr<SSL_CTX, decltype(&::SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&::SSL_free)> ssl_{nullptr, ::SSL_free};
};

}  // namespace penstock
