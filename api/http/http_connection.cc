#include "api/http/http_connection.h"

#include <algorithm>
#include <utility>

#include "topics/values/check.h"

namespace penstock {
namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

bool HttpConnection::wants_bytes() const {
  // Not before the last reply has been sent: a client that has ended its side still reads, but the
  // end of its input, once read, ends the connection.
  if (state_ == State::kClosing) return unsent().empty();
  if (state_ == State::kStreaming) return in_.size() < kMaxBytesWhileStreaming;
  return state_ != State::kAnswering && state_ != State::kReplying;
}

void HttpConnection::received(std::string_view bytes) {
  if (state_ == State::kClosing) return;
  in_ += bytes;
  advance();
}

// Reads what has arrived, up to one complete request.
void HttpConnection::advance() {
  while (state_ == State::kIdle || state_ == State::kHead || state_ == State::kBody) {
    if (!(state_ == State::kBody ? read_body() : read_head())) return;
  }
}

bool HttpConnection::read_head() {
  // Some clients send an empty line after a body; it is to be ignored (RFC 9112, section 2.2).
  while (in_.starts_with(kLineEnd)) in_.erase(0, kLineEnd.size());
  // Still idle, so the longer time between two requests goes on.
  if (in_.empty()) return false;
  state_ = State::kHead;
  const std::size_t end = in_.find(kHeadEnd);
  if (std::min(end, in_.size()) > kMaxHeadBytes) {
    refuse({431, "the request's head is larger than " + std::to_string(kMaxHeadBytes) + " bytes"});
    return false;
  }
  if (end == in_.npos) return false;
  auto head = parse_http_head(std::string_view(in_).substr(0, end + kHeadEnd.size()));
  in_.erase(0, end + kHeadEnd.size());
  if (!head) {
    refuse(head.error());
    return false;
  }
  request_ = {*std::move(head), {}};
  request_.head.peer = peer_;
  is_head_ = request_.head.method == "HEAD";
  chunked_ = request_.head.is_1_1;
  keep_alive_ = request_.head.keep_alive && ++requests_ < rules_->max_requests;
  begin_body();
  return true;
}

void HttpConnection::begin_body() {
  const HttpHead& head = request_.head;
  if (const auto refusal = rules_->refusal(head)) {
    send(*refusal, !is_head_, false);
    return;
  }
  if (head.body == HttpBody::kSized && head.body_bytes > rules_->max_body_bytes) {
    return refuse(body_too_large(rules_->max_body_bytes));
  }
  state_ = head.body == HttpBody::kNone ? State::kAnswering : State::kBody;
  if (head.body == HttpBody::kChunked) chunks_.emplace(rules_->max_body_bytes);
  // A client that has begun to send the body does not wait for the 100 any more.
  if (head.body != HttpBody::kNone && head.expects_continue && in_.empty()) out_ += kContinue;
}

bool HttpConnection::read_body() {
  std::string& body = request_.body;
  bool whole = false;
  if (chunks_) {
    in_.erase(0, chunks_->take(in_, body));
    if (chunks_->fault()) {
      refuse(*chunks_->fault());
      return false;
    }
    whole = chunks_->done();
  } else {
    const auto left = static_cast<std::size_t>(request_.head.body_bytes) - body.size();
    const std::size_t size = std::min(left, in_.size());
    body.append(in_, 0, size);
    in_.erase(0, size);
    whole = size == left;
  }
  if (!whole) return false;
  chunks_.reset();
  state_ = State::kAnswering;
  return true;
}

std::optional<HttpRequest> HttpConnection::request() {
  if (state_ != State::kAnswering || std::exchange(given_out_, true)) return std::nullopt;
  bytes_given_out_ = request_.body.size();
  return std::exchange(request_, {});
}

void HttpConnection::reply(const HttpReply& reply) {
  PENSTOCK_CHECK(state_ == State::kAnswering && given_out_, "a reply without its request");
  given_out_ = false;
  bytes_given_out_ = 0;
  if (!reply.stream || is_head_) return send(reply, !is_head_, keep_alive_ && !ending_);
  keep_alive_ = keep_alive_ && chunked_ && !ending_;
  out_ +=
      http_text(reply, false, keep_alive_, chunked_ ? HttpLength::kChunked : HttpLength::kUntilEnd);
  state_ = State::kStreaming;
  // A stream begins with what the reply already has.
  if (!push(reply.body) || ending_) finish();
}

bool HttpConnection::push(std::string_view piece) {
  if (state_ != State::kStreaming || piece.empty()) return true;
  if (unsent().size() + piece.size() > kMaxStreamBacklog) return false;
  // What has been sent is dropped, because a stream may never be sent completely.
  out_.erase(0, std::exchange(sent_, 0));
  chunked_ ? append_chunk(piece, out_) : static_cast<void>(out_.append(piece));
  return true;
}

void HttpConnection::finish() {
  if (state_ != State::kStreaming) return;
  if (chunked_) append_last_chunk(out_);
  state_ = keep_alive_ ? State::kReplying : State::kClosing;
  if (!keep_alive_) in_ = {};
  // If all has been sent, there is no further sent() to go on from.
  if (unsent().empty()) sent(0);
}

void HttpConnection::refuse(const HttpFault& fault) {
  // With its body, even though the request may be a HEAD: the method may not be known yet, and the
  // connection ends anyway.
  send(rules_->fault_reply(fault), true, false);
}

void HttpConnection::end() {
  ending_ = true;
  if (state_ == State::kIdle || state_ == State::kHead || state_ == State::kBody) {
    state_ = State::kClosing;
  }
  if (state_ == State::kStreaming) {
    keep_alive_ = false;
    finish();
  }
}

void HttpConnection::send(const HttpReply& reply, bool with_body, bool keep_alive) {
  out_ += http_text(reply, with_body, keep_alive);
  state_ = keep_alive ? State::kReplying : State::kClosing;
  if (keep_alive) return;
  in_ = {};  // nothing after it is read as a request
  request_ = {};
  chunks_.reset();
}

void HttpConnection::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < out_.size()) return;
  out_ = {};
  sent_ = 0;
  if (state_ != State::kReplying) return;
  // The next request may have arrived already, behind the one that was just answered.
  state_ = ending_ ? State::kClosing : State::kIdle;
  advance();
}

}  // namespace penstock
