// One connection's side of HTTP/1.1, without its socket: bytes in, requests out; replies in, bytes
// out. Pure.
//
//  - One request at a time: what is pipelined behind it waits, and is answered in order.
//  - A request is handed on when its body has come whole.
//  - What is refused before its body has been read ends the connection: nothing behind a refusal is
//    read as a request. What still comes is discarded, so that the client gets to read the reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/http/chunked_body.h"
#include "api/http/http_head.h"
#include "api/http/http_reply.h"

namespace penstock {

struct HttpRequest {
  HttpHead head;
  std::string body;
};

struct HttpRules {
  std::size_t max_body_bytes = 0;
  int max_requests = 0;  // of a connection
  // A reply to refuse this request with, before its body is read; nothing: it may pass.
  std::function<std::optional<HttpReply>(const HttpHead&)> refusal;
  std::function<HttpReply(const HttpFault&)> fault_reply;
};

class HttpConnection {
 public:
  enum class State : std::uint8_t {
    kIdle,       // between requests
    kHead,       // a part of a head has come
    kBody,       // the head has come
    kAnswering,  // request() has been given out, or can be
    kReplying,   // the reply is being sent
    kClosing,    // the last reply is being sent, what comes is discarded
  };

  // `rules` must outlive it.
  explicit HttpConnection(const HttpRules& rules) : rules_(&rules) {}

  [[nodiscard]] State state() const { return state_; }
  // What received() takes now would be read, or be discarded.
  [[nodiscard]] bool wants_bytes() const;
  void received(std::string_view bytes);
  // The request that is to be answered, once.
  [[nodiscard]] std::optional<HttpRequest> request();
  // Of the request that was given out.
  void reply(const HttpReply& reply);
  // Refuses what has not been read whole, and ends the connection.
  void refuse(const HttpFault& fault);
  // Ends the connection after the reply that is owed, if one is.
  void end();

  [[nodiscard]] std::string_view unsent() const { return std::string_view(out_).substr(sent_); }
  void sent(std::size_t bytes);
  // Everything has been sent, and nothing follows.
  [[nodiscard]] bool is_over() const { return state_ == State::kClosing && unsent().empty(); }
  // Of requests that have not been answered.
  [[nodiscard]] std::size_t bytes_held() const {
    return in_.size() + request_.body.size() + bytes_given_out_;
  }

 private:
  void advance();
  [[nodiscard]] bool read_head();
  void begin_body();
  [[nodiscard]] bool read_body();
  void send(const HttpReply& reply, bool with_body, bool keep_alive);

  const HttpRules* rules_;
  State state_ = State::kIdle;
  std::string in_;   // received, not yet read
  std::string out_;  // to be sent from sent_ on
  std::size_t sent_ = 0;
  HttpRequest request_;
  std::optional<ChunkedBody> chunks_;
  bool given_out_ = false;
  std::size_t bytes_given_out_ = 0;
  bool ending_ = false;
  bool keep_alive_ = true, is_head_ = false;  // of the request that is being answered
  int requests_ = 0;
};

}  // namespace penstock
