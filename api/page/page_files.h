// The files of the web page (web/), built into the program. The build generates the definition.
#pragma once

#include <span>
#include <string_view>

namespace penstock {

struct PageFile {
  std::string_view path;  // of its URL: "/" or "/assets/..."
  std::string_view type;  // its media type
  std::string_view tag;   // changes with the contents
  std::string_view plain;
  std::string_view gzipped;
};

[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace penstock
