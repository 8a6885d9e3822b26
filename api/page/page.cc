#include "api/page/page.h"

#include <algorithm>

#include "api/page/page_files.h"
#include "api/request/problem.h"

namespace penstock {
namespace {

constexpr std::string_view kPagePath = "/";

ApiReply file_reply(const PageFile& file, const ApiRequest& request, int status) {
  ApiReply reply{.status = status, .type = std::string(file.type), .body = {}};
  const std::string tag = "\"" + std::string(file.tag) + "\"";
  reply.headers = {{"Cache-Control", "no-cache"},  // may be kept, but must be asked for again
                   {"ETag", tag},
                   {"Vary", "Accept-Encoding"},
                   {"Content-Security-Policy", kPageSecurityPolicy},
                   {"Referrer-Policy", "no-referrer"},
                   {"Cross-Origin-Opener-Policy", "same-origin"},
                   {"Cross-Origin-Resource-Policy", "same-origin"},
                   {"X-Frame-Options", "DENY"}};
  if (status == 200 && request.if_none_match == tag) {
    reply.status = 304;
    return reply;
  }
  const bool gzip = request.accept_encoding.find("gzip") != std::string::npos;
  if (gzip) reply.headers["Content-Encoding"] = "gzip";
  reply.body = gzip ? file.gzipped : file.plain;
  return reply;
}

const PageFile* find_file(std::string_view path) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [path](const PageFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

ApiReply answer(const ApiRequest& request) {
  const PageFile* const file = find_file(request.path);
  return file == nullptr ? no_such_path(request) : file_reply(*file, request, 200);
}

}  // namespace

ApiReply page_reply(const ApiRequest& request, int status) {
  const PageFile* const file = find_file(kPagePath);
  return file == nullptr ? no_such_path(request) : file_reply(*file, request, status);
}

void add_page_to(RouteTable& table) {
  table.add({.method = "GET",
             .pattern = "/",
             .scope = Scope::kRead,
             .id = "",
             .summary = "The web page",
             .lists_queues = true},
            answer);
  table.add({.method = "GET",
             .pattern = "/assets/{file}",
             .scope = Scope::kOpen,
             .id = "",
             .summary = "The page's scripts and styles"},
            answer);
}

}  // namespace penstock
