// For tests of the message layer alone: a hall whose one route says what it was asked, and a connection to it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "doors/http/session.h"

namespace sluice::doors::http {

// `POST /a?b|host|body|fields`
inline void echo(const Request& request, const net::Peer& peer, Response& response) {
  std::string& text = response.text();
  text.append(request.method).append(" ").append(request.target.path).append("?").append(request.target.query);
  text.append("|").append(request.host).append("|").append(request.body).append("|").append(peer.address);
  for (const Field& field : request.fields) text.append("|").append(field.name).append("=").append(field.value);
  response.send({200, "text/plain", {}, text});
}

inline Router echo_router() {
  return {Access(), {{.path = "/", .methods = {}, .handler = echo, .reach = Reach::kBelow}}};
}

class EchoConnection {
 public:
  explicit EchoConnection(Limits limits = {}) : hall(echo_router(), limits), session(hall, peer) {}

  // All that is sent back.
  std::string send(std::string_view bytes) {
    unread += bytes;
    if (!is_closed) {
      const net::Consumed consumed = session.on_bytes(unread, output);
      unread.erase(0, consumed.bytes);
      is_closed = consumed.next == net::Next::kClose;
    }
    std::string sent(output.bytes());
    output.clear();
    return sent;
  }

  Hall hall;
  net::Peer peer{"203.0.113.7"};
  Session session;
  net::Output output;
  std::string unread;
  bool is_closed = false;
};

inline std::string echoed(std::string_view text, std::string_view more = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(text.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(text);
}

}  // namespace sluice::doors::http
