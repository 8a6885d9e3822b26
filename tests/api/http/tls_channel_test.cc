#include "api/http/tls_channel.h"

#include <fstream>

#include "tests/api/http/tls_client.h"

namespace penstock {
namespace {

struct Channel : testing::Test {
  TestCertificate files{"channel"};
  TlsCertificate certificate = TlsCertificate::load(files.certificate, files.key).value();
  TlsChannel server{certificate};
  TlsClient client;
  std::string plain;  // what the server got

  // Until neither has anything to say. False: the server has ended the connection.
  bool exchange() {
    for (;;) {
      const std::string up = client.take();
      const bool goes_on = server.received(up, plain);
      const std::string down = server.take_sealed();
      client.received(down);
      if (!goes_on) return false;
      if (up.empty() && down.empty()) return true;
    }
  }
};

TEST_F(Channel, BytesArriveOnBothSides) {
  ASSERT_TRUE(exchange());
  ASSERT_TRUE(client.connected());
  ASSERT_TRUE(client.send("GET / HTTP/1.1\r\n\r\n"));
  ASSERT_TRUE(server.send(std::string(100'000, 'x')));
  ASSERT_TRUE(exchange());
  EXPECT_EQ(plain, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.plain, std::string(100'000, 'x'));
}

TEST_F(Channel, WhatIsSentBeforeTheHandshakeWaitsForIt) {
  ASSERT_TRUE(server.send("early"));
  EXPECT_EQ(server.take_sealed(), "");
  ASSERT_TRUE(exchange());
  EXPECT_EQ(client.plain, "early");
}

TEST_F(Channel, BytesMayArriveOneByOne) {
  for (int i = 0; i < 20 && !client.connected(); ++i) {
    for (const char byte : client.take()) ASSERT_TRUE(server.received({&byte, 1}, plain));
    client.received(server.take_sealed());
  }
  EXPECT_TRUE(client.connected());
}

TEST_F(Channel, AnotherProtocolEndsTheConnection) {
  EXPECT_FALSE(server.received("GET / HTTP/1.1\r\nHost: a\r\n\r\n", plain));
  EXPECT_EQ(plain, "");
}

TEST_F(Channel, OldVersionsAreRefused) {
  client.at_most(TLS1_1_VERSION);
  EXPECT_FALSE(exchange() && client.connected());
}

TEST(TlsCertificates, AKeyThatIsNotItsOwnAndFilesThatCannotBeReadAreRefused) {
  const TestCertificate one("one"), other("other");
  EXPECT_FALSE(TlsCertificate::load(one.certificate, other.key));
  EXPECT_FALSE(TlsCertificate::load("/does/not/exist", one.key));
  EXPECT_FALSE(TlsCertificate::load(one.certificate, "/does/not/exist"));
}

}  // namespace
}  // namespace penstock
