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
    return bytes[1] == '\n' ? net::Consumed{2} : wait_or_refuse(Fault::kLineEnding, output);
  }
  Reading reading;
  if (!progress_.has_framing) {
    if (!learn_framing(bytes, reading)) return wait_or_refuse(reading.fault, output);
    if (const auto turned_away = turn_away(bytes, reading, output)) return *turned_away;
    // Whoever has begun to send the body does not wait to be asked for it.
    const Head& head = reading.head;
    const bool waits = head.expects_continue && bytes.size() == progress_.head.size();
    if (waits && head.is_http11 && head.has_body()) output.append(kContinue);
  }
  if (!is_whole(bytes, reading)) return wait_or_refuse(reading.fault, output);
  // Where the body came later, the head was read in an earlier call.
  if (!reading.has_head) parse(bytes, reading);
  return answer(bytes, reading, output);
}

bool Session::learn_framing(std::string_view bytes, Reading& reading) {
  if (!progress_.head.is_done()) {
    reading.fault = progress_.head.look(bytes, hall_->limits);
    if (reading.fault != Fault::kNone || !progress_.head.is_done()) return false;
  }
  parse(bytes, reading);
  if (reading.fault != Fault::kNone) return false;
  progress_.framing = reading.head.framing;
  progress_.needed = progress_.head.size() + reading.head.content_length;
  progress_.has_framing = true;
  return true;
}

bool Session::is_whole(std::string_view bytes, Reading& reading) {
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
  if (reading.fault == Fault::kNone) reading.request = request_of(reading.head, hall_->fields);
}

std::optional<net::Consumed> Session::turn_away(std::string_view bytes, const Reading& reading, net::Output& output) {
  const Head& head = reading.head;
  // Of a body nothing is read, so no request can follow it; also where it has come, for cuts must not change answers.
  const bool keeps_open = !head.has_body() && stays_open(bytes, head);
  Response response(output, hall_->text, {head.is_http11, keeps_open, head.method == "HEAD"});
  if (!hall_->router.turns_away(reading.request, response)) return std::nullopt;
  const size_t size = progress_.needed;
  progress_ = {};
  return net::Consumed{size, keeps_open ? net::Next::kRead : net::Next::kClose};
}

net::Consumed Session::answer(std::string_view bytes, Reading& reading, net::Output& output) {
  const Head& head = reading.head;
  const size_t size = progress_.needed;
  const bool keeps_open = stays_open(bytes, head);
  Request& request = reading.request;
  request.body = bytes.substr(0, size).substr(progress_.head.size());
  if (head.framing == Framing::kChunked) {
    hall_->body.clear();
    join_chunks(request.body, hall_->body);
    request.body = hall_->body;
  }
  Response response(output, hall_->text, {head.is_http11, keeps_open, head.method == "HEAD"});
  hall_->router.handle(request, peer_, response);
  if (!response.is_sent()) response.send_fault(500, "This request was left without an answer.");
  progress_ = {};
  return {size, keeps_open ? net::Next::kRead : net::Next::kClose};
}

net::Consumed Session::wait_or_refuse(Fault fault, net::Output& output) {
  if (fault == Fault::kNone) return {};
  Response response(output, hall_->text, {.keeps_open = false});
  response.send_fault(status_of(fault), sentence_of(fault, hall_->limits));
  return {0, net::Next::kClose};
}

// The last request before a stop is told that no other will be answered.
bool Session::stays_open(std::string_view bytes, const Head& head) const {
  return head.keeps_open && !(is_draining_ && bytes.size() == progress_.needed);
}

}  // namespace sluice::doors::http
