// Values of Kafka properties that the config file does not hold itself.
#include "consumer/config/config_secret.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "consumer/config/config.h"
#include "tests/conformance/temporary_directory.h"

namespace penstock {
namespace {

constexpr const char* kVariable = "PENSTOCK_TEST_SECRET";

class Secrets : public testing::Test {
 protected:
  ~Secrets() override { unsetenv(kVariable); }

  std::string write(const std::string& name, std::string_view text) {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << text;
    return folder_.path() + "/" + name;
  }
  // Of a config whose password is this JSON.
  Result<Config> load(const std::string& password) {
    const std::string text =
        R"({"kafka": {"bootstrap.servers": "b:1", "sasl.password": )" + password + "}}";
    return load_config(write("penstock.json", text));
  }
  std::string error_of(const std::string& password) {
    const auto config = load(password);
    EXPECT_FALSE(config) << password;
    return config ? "" : config.error().message;
  }

  TemporaryDirectory folder_;
};

TEST_F(Secrets, AFileGivesTheValueWithoutTheEndOfItsLastLine) {
  for (const char* const end : {"", "\n", "\r\n"}) {
    const std::string path = write("secret", "sword\nfish " + std::string(end));
    const auto config = load(R"({"file": ")" + path + "\"}");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->kafka.at("sasl.password"), "sword\nfish ");
    EXPECT_EQ(config->kafka.at("bootstrap.servers"), "b:1");
  }
}

TEST_F(Secrets, AVariableOfTheEnvironmentGivesTheValue) {
  setenv(kVariable, "swordfish", 1);
  const auto config = load(R"({"env": "PENSTOCK_TEST_SECRET"})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->kafka.at("sasl.password"), "swordfish");
}

TEST_F(Secrets, WhatIsMissingIsNamedWithItsPlace) {
  const std::string at = "/kafka/sasl.password";
  EXPECT_NE(error_of(R"({"env": "PENSTOCK_TEST_SECRET"})")
                .find(at + "/env: the environment has no variable PENSTOCK_TEST_SECRET"),
            std::string::npos);
  setenv(kVariable, "", 1);
  EXPECT_NE(error_of(R"({"env": "PENSTOCK_TEST_SECRET"})").find(at + "/env: the variable"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"file": "/does/not/exist"})")
                .find(at + "/file: cannot read the file /does/not/exist: No such file"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"file": ")" + write("empty", "\n") + "\"}").find("is empty"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"file": ")" + folder_.path() + "\"}").find(at + "/file: "),
            std::string::npos);
}

TEST_F(Secrets, NoErrorShowsTheValue) {
  const std::string nul = write("nul", std::string_view("sword\0fish", 10));
  const std::string large = write("large", std::string(kMaxSecretBytes + 1, 's') + "fish");
  for (const std::string& path : {nul, large}) {
    const std::string error = error_of(R"({"file": ")" + path + "\"}");
    EXPECT_NE(error.find("/kafka/sasl.password/file: "), std::string::npos) << error;
    EXPECT_EQ(error.find("fish"), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(R"("sword\u0000fish")").find("fish"), std::string::npos);
}

TEST_F(Secrets, APlaceIsOneFileOrOneVariable) {
  for (const char* const place : {"{}", R"({"file": "/a", "env": "A"})", R"({"file": 7})",
                                  R"({"file": ""})", R"({"variable": "A"})"}) {
    EXPECT_NE(error_of(place).find("/kafka/sasl.password"), std::string::npos) << place;
  }
}

}  // namespace
}  // namespace penstock
