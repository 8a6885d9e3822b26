// One POST to a handler, as carried out by libcurl: the request, its handle, and the response as it
// arrives. Only the HTTP client's thread uses it.
#pragma once

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "consumer/handlers/http/http_answer.h"
#include "consumer/handlers/http/http_endpoint.h"
#include "consumer/handlers/io/inbox.h"

namespace penstock {

struct CurlEasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using CurlEasy = std::unique_ptr<CURL, CurlEasyDeleter>;
struct CurlListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, CurlListDeleter>;

class HttpTransfer {
 public:
  // `easy` must be new or reset. libcurl keeps the address of this transfer, so it must not move.
  HttpTransfer(StartCommand start, const HttpEndpoint& endpoint,
               std::chrono::milliseconds connect_timeout, CurlEasy easy, Time now);
  HttpTransfer(const HttpTransfer&) = delete;
  HttpTransfer& operator=(const HttpTransfer&) = delete;

  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  [[nodiscard]] const AttemptKey& key() const { return start_.request.key; }
  // Reports the outcome to the mailbox, once the transfer has ended with `code`.
  void post_answer(CURLcode code, Time now);
  // Returns the handle for another transfer; this one is finished.
  [[nodiscard]] CurlEasy release();

 private:
  void set_headers(const HttpEndpoint& endpoint, Time now);
  void set_options(const HttpEndpoint& endpoint);
  [[nodiscard]] Answer answer(CURLcode code, Time now);
  [[nodiscard]] Answer timed_out() const;
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);

  StartCommand start_;
  const HttpEndpoint& endpoint_;
  const std::chrono::milliseconds connect_timeout_;
  std::string body_;
  CurlEasy easy_;
  CurlList headers_;
  HttpResponse response_;
  bool is_too_large_ = false;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace penstock
