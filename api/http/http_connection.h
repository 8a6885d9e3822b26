// The server's side of one HTTP/1.1 connection, without its socket: bytes in, requests out; replies
// in, bytes out. Pure.
//
// - One request at a time: pipelined requests wait and are answered in order.
// - A request is passed on once its whole body has arrived.
// - A reply may be a stream: its head is sent at once, and its body in pieces, chunked, as they are
//   made. While it is sent, a bounded number of further bytes is kept for later.
// - A request that is refused before its body has been read ends the connection: nothing after a
//   refusal is read as a request. Further input is discarded, so that the client can read the
//   reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
  int max_requests = 0;  // per connection
  // A reply that refuses this request before its body is read; empty: the request may pass.
  std::function<std::optional<HttpReply>(const HttpHead&)> refusal;
  std::function<HttpReply(const HttpFault&)> fault_reply;
};

class HttpConnection {
 public:
  enum class State : std::uint8_t {
    kIdle,       // between requests
    kHead,       // a part of a head has arrived
    kBody,       // the head has arrived
    kAnswering,  // request() has returned the request, or can
    kReplying,   // the reply is being sent
    kStreaming,  // the head of a stream has been given, its end has not
    kClosing,    // the last reply is being sent; input is discarded
  };

  // `rules` must outlive the connection.
  // `peer`: the client's address, which its requests carry.
  explicit HttpConnection(const HttpRules& rules, std::string peer = {})
      : rules_(&rules), peer_(std::move(peer)) {}

  static constexpr std::size_t kMaxStreamBacklog = 1 << 20;  // bytes of a stream not sent yet
  static constexpr std::size_t kMaxBytesWhileStreaming = 64 << 10;

  [[nodiscard]] State state() const { return state_; }
  // Whether received() would read or discard further bytes, rather than keep them for later.
  [[nodiscard]] bool wants_bytes() const;
  void received(std::string_view bytes);
  // The request to be answered; returned once.
  [[nodiscard]] std::optional<HttpRequest> request();
  // The reply to the request that was returned. If it is a stream, push() and finish() follow.
  void reply(const HttpReply& reply);
  // A piece of a stream's body. False: the client reads too slowly, and the connection is to be
  // closed.
  [[nodiscard]] bool push(std::string_view piece);
  void finish();
  // Refuses a request that has not been read completely, and ends the connection.
  void refuse(const HttpFault& fault);
  // Ends the connection, after the outstanding reply if there is one.
  void end();

  [[nodiscard]] std::string_view unsent() const { return std::string_view(out_).substr(sent_); }
  void sent(std::size_t bytes);
  // Everything has been sent, and nothing will follow.
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
  std::string peer_;
  State state_ = State::kIdle;
  std::string in_;   // received but not yet read
  std::string out_;  // to be sent, beginning at sent_
  std::size_t sent_ = 0;
  HttpRequest request_;
  std::optional<ChunkedBody> chunks_;
  bool given_out_ = false;
  std::size_t bytes_given_out_ = 0;
  bool ending_ = false;
  bool keep_alive_ = true, is_head_ = false;  // of the request that is being answered
  bool chunked_ = true;                       // a stream's pieces; HTTP/1.0 knows no chunks
  int requests_ = 0;
};

}  // namespace penstock
