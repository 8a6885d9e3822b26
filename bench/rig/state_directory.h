// A folder for a worker's state, which is removed with its contents.
#pragma once

#include <filesystem>
#include <string>

#include "topics/values/result.h"

namespace penstock {

class StateDirectory {
 public:
  [[nodiscard]] static Result<StateDirectory> make();
  ~StateDirectory();
  StateDirectory(StateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  StateDirectory& operator=(StateDirectory&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit StateDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace penstock
