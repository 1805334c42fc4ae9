#include "doors/http/session.h"

namespace sluice::doors::http {
namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

Request request_of(const Head& head, const std::vector<Field>& fields) {
  Request request;
  request.method = head.method;
  request.target = split_target(head.target);
  request.host = request.target.host.empty() ? head.host : request.target.host;
  request.fields = fields;
  return request;
}

}  // namespace

net::Consumed Session::on_bytes(std::string_view bytes, net::Turn turn) {
  hall_ = &halls_.at(turn.seat);
  net::Output& output = turn.output;
  size_t consumed = 0;
  while (consumed < bytes.size() && output.has_room()) {
    const net::Consumed step = serve(bytes.substr(consumed), output);
    if (step.next == net::Next::kClose) return {bytes.size(), net::Next::kClose};
    if (step.bytes == 0) break;
    consumed += step.bytes;
  }
  return {consumed, net::Next::kRead};
}

net::Consumed Session::serve(std::string_view bytes, net::Output& output) {
  // Old clients send an empty line after a body.
  if (!progress_.head.is_done() && bytes.front() == '\r') {
    if (bytes.size() == 1) return {};
    return bytes[1] == '\n' ? net::Consumed{2} : refuse(Fault::kLineEnding, output);
  }
  Reading reading;
  if (!is_whole(bytes, reading, output)) {
    return reading.fault == Fault::kNone ? net::Consumed{} : refuse(reading.fault, output);
  }
  // Where the body came later, the head was read in an earlier call.
  if (!reading.has_head) parse(bytes, reading);
  const bool is_last = is_draining_ && bytes.size() == progress_.needed;
  if (is_last) reading.head.keeps_open = false;
  return answer(bytes.substr(0, progress_.needed), reading.head, output);
}

bool Session::is_whole(std::string_view bytes, Reading& reading, net::Output& output) {
  if (!progress_.head.is_done()) {
    reading.fault = progress_.head.look(bytes, hall_->limits);
    if (reading.fault != Fault::kNone || !progress_.head.is_done()) return false;
  }
  if (!progress_.has_framing) {
    learn_framing(bytes, reading, output);
    if (reading.fault != Fault::kNone) return false;
  }
  if (progress_.framing == Framing::kChunked) {
    const size_t head = progress_.head.size();
    reading.fault = progress_.chunks.look(bytes.substr(head), hall_->limits);
    if (reading.fault != Fault::kNone || !progress_.chunks.is_done()) return false;
    progress_.needed = head + progress_.chunks.size();
  }
  return bytes.size() >= progress_.needed;
}

void Session::parse(std::string_view bytes, Reading& reading) {
  const std::string_view text = bytes.substr(0, progress_.head.size());
  reading.fault = parse_head(text, hall_->limits, hall_->fields, reading.head);
  reading.has_head = true;
}

void Session::learn_framing(std::string_view bytes, Reading& reading, net::Output& output) {
  parse(bytes, reading);
  if (reading.fault != Fault::kNone) return;
  const Head& head = reading.head;
  const size_t size = progress_.head.size();
  progress_.framing = head.framing;
  progress_.needed = size + head.content_length;
  progress_.has_framing = true;
  // Whoever has begun to send the body does not wait to be asked for it.
  const bool has_body = head.framing == Framing::kChunked || head.content_length > 0;
  if (head.expects_continue && head.is_http11 && has_body && bytes.size() == size) output.append(kContinue);
}

net::Consumed Session::answer(std::string_view bytes, const Head& head, net::Output& output) {
  Request request = request_of(head, hall_->fields);
  request.body = bytes.substr(progress_.head.size());
  if (head.framing == Framing::kChunked) {
    hall_->body.clear();
    join_chunks(request.body, hall_->body);
    request.body = hall_->body;
  }
  Response response(output, hall_->text, {head.is_http11, head.keeps_open, head.method == "HEAD"});
  hall_->router.handle(request, peer_, response);
  if (!response.is_sent()) response.send_fault(500, "This request was left without an answer.");
  progress_ = {};
  return {bytes.size(), head.keeps_open ? net::Next::kRead : net::Next::kClose};
}

net::Consumed Session::refuse(Fault fault, net::Output& output) {
  Response response(output, hall_->text, {.keeps_open = false});
  response.send_fault(status_of(fault), sentence_of(fault, hall_->limits));
  return {0, net::Next::kClose};
}

}  // namespace sluice::doors::http
