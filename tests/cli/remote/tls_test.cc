// Workers behind https://: whom the command line trusts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>

#include "tests/cli/fake_worker.h"
#include "tests/cli/temporary_file.h"

namespace penstock {
namespace {

using testing::HasSubstr;

// A certificate that has signed itself, for one host, in files.
class TestCertificate {
 public:
  explicit TestCertificate(const std::string& names) : certificate_(""), key_("") {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const made = X509_new();
    X509_set_version(made, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
    X509_gmtime_adj(X509_getm_notBefore(made), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made), 3600);
    X509_set_pubkey(made, key);
    X509_NAME* const name = X509_get_subject_name(made);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("penstock test"), -1, -1, 0);
    X509_set_issuer_name(made, name);
    X509_EXTENSION* const hosts =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
    X509_add_ext(made, hosts, -1);
    X509_sign(made, key, EVP_sha256());
    std::FILE* const file = std::fopen(certificate_.path().c_str(), "w");
    PEM_write_X509(file, made);
    std::fclose(file);
    std::FILE* const key_file = std::fopen(key_.path().c_str(), "w");
    PEM_write_PrivateKey(key_file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(key_file);
    X509_EXTENSION_free(hosts);
    X509_free(made);
    EVP_PKEY_free(key);
  }

  [[nodiscard]] const std::string& certificate() const { return certificate_.path(); }
  [[nodiscard]] const std::string& key() const { return key_.path(); }

 private:
  TemporaryFile certificate_, key_;
};

class TlsWorker {
 public:
  explicit TlsWorker(const TestCertificate& certificate)
      : server_(certificate.certificate().c_str(), certificate.key().c_str()) {
    server_.Get(".*", [this](const httplib::Request&, httplib::Response& response) {
      ++asked;
      response.set_content(R"({"queues":[]})", "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~TlsWorker() { server_.stop(); }

  [[nodiscard]] std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::atomic<int> asked = 0;

 private:
  httplib::SSLServer server_;
  int port_ = 0;
  std::jthread thread_;
};

TEST(TlsWorker, IsTrustedIfItsCertificateIs) {
  const TestCertificate certificate("IP:127.0.0.1");
  TlsWorker worker(certificate);
  const Printed printed =
      Stage().run({"queues", "--http", worker.url(), "--ca", certificate.certificate()});
  EXPECT_EQ(printed.status, 0) << printed.err;
  EXPECT_EQ(worker.asked, 1);
}

TEST(TlsWorker, IsRefusedIfNobodyVouchesForIt) {
  const TestCertificate certificate("IP:127.0.0.1"), another("IP:127.0.0.1");
  TlsWorker worker(certificate);
  for (const std::vector<std::string>& trust :
       {std::vector<std::string>{}, {"--ca", another.certificate()}}) {
    std::vector<std::string> command{"queues", "--http", worker.url()};
    command.insert(command.end(), trust.begin(), trust.end());
    const Printed printed = Stage().run(command);
    EXPECT_EQ(printed.status, 1);
    EXPECT_THAT(printed.err, HasSubstr("its certificate does not go back to one of"));
  }
  EXPECT_EQ(worker.asked, 0);
}

TEST(TlsWorker, IsRefusedUnderAnotherName) {
  const TestCertificate certificate("DNS:worker.example,IP:192.0.2.1");
  TlsWorker worker(certificate);
  const Printed printed =
      Stage().run({"queues", "--http", worker.url(), "--ca", certificate.certificate()});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("is for another host name"));
  EXPECT_EQ(worker.asked, 0);
}

TEST(TlsWorker, ACaFileThatCannotBeReadIsNamed) {
  const TestCertificate certificate("IP:127.0.0.1");
  TlsWorker worker(certificate);
  const Printed printed = Stage().run({"queues", "--http", worker.url(), "--ca", "/nonexistent"});
  EXPECT_EQ(printed.status, 1);
  EXPECT_THAT(printed.err, HasSubstr("--ca"));
}

}  // namespace
}  // namespace penstock
