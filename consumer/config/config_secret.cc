#include "consumer/config/config_secret.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace penstock {
namespace {

Result<std::string> content_of(const std::string& path) {
  // A stream need not set errno, so an old value must not be taken for its error.
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // One byte more than is accepted, so that a file that is too large is told from one that is just
  // as large.
  std::string text(kMaxSecretBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return failure("cannot read the file " + path + ": " + std::strerror(errno == 0 ? EIO : errno));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxSecretBytes) {
    return failure("found more than " + std::to_string(kMaxSecretBytes) + " bytes in the file " +
                   path);
  }
  // Editors end a file with a line break that is no part of the secret.
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<std::string> variable(const std::string& name) {
  if (const char* const value = std::getenv(name.c_str())) return std::string(value);
  return failure("the environment has no variable " + name + ", expected one with the value");
}

}  // namespace

Result<std::string> read_secret(const ConfigSecret& secret) {
  const bool is_file = !secret.file.empty();
  auto text = is_file ? content_of(secret.file) : variable(secret.env);
  const std::string place = secret.pointer + (is_file ? "/file: " : "/env: ");
  if (!text) return failure(place + text.error().message);
  const std::string named = is_file ? "the file " + secret.file : "the variable " + secret.env;
  if (text->empty()) return failure(place + named + " is empty, expected the value");
  if (text->find('\0') != text->npos) {
    return failure(place + named + " holds a NUL character, expected text");
  }
  return text;
}

}  // namespace penstock
