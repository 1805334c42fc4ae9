#include "doors/http/response.h"

#include <charconv>
#include <cstring>

#include "doors/json_writer.h"
#include "doors/problem.h"

namespace sluice::doors::http {
namespace {

constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n";
constexpr std::string_view kClose = "Connection: close\r\n";
// The status line with its phrase, the names of our own fields, a length, and the empty line.
constexpr size_t kOwnBytes = 160;

// These write at `end` and return where they ended.
char* put(char* end, std::string_view text) {
  // What is empty may point nowhere.
  if (!text.empty()) std::memcpy(end, text.data(), text.size());
  return end + text.size();
}

char* put_number(char* end, size_t number) { return std::to_chars(end, end + 20, number).ptr; }

char* put_field(char* end, std::string_view name, std::string_view value) {
  end = put(end, name);
  end = put(end, ": ");
  end = put(end, value);
  return put(end, "\r\n");
}

char* put_status(char* end, int status) {
  if (status == 200) return put(end, "HTTP/1.1 200 OK\r\n");
  end = put_number(put(end, "HTTP/1.1 "), static_cast<size_t>(status));
  end = put(end, " ");
  return put(put(end, phrase_of(status)), "\r\n");
}

}  // namespace

void Response::send(const Reply& reply) {
  is_sent_ = true;
  size_t room = kOwnBytes + reply.media_type.size() + reply.body.size();
  for (const Field& field : reply.fields) room += field.name.size() + field.value.size() + 4;
  char* const start = output_.reserve(room);
  char* end = put_status(start, reply.status);
  for (const Field& field : reply.fields) end = put_field(end, field.name, field.value);
  if (!reply.media_type.empty()) end = put_field(end, "Content-Type", reply.media_type);
  // These never have a body; a length would be that of another answer.
  if (reply.status != 204 && reply.status != 304) {
    end = put(put_number(put(end, "Content-Length: "), reply.body.size()), "\r\n");
  }
  if (!manner_.keeps_open) {
    end = put(end, kClose);
  } else if (!manner_.is_http11) {
    end = put(end, kKeepAlive);
  }
  end = put(end, "\r\n");
  if (!manner_.is_head) end = put(end, reply.body);
  output_.commit(static_cast<size_t>(end - start));
}

void Response::send_fault(int status, std::string_view sentence, std::span<const Field> fields) {
  std::string& body = text();
  JsonWriter json(body);
  json.begin_object();
  json.name("type");
  json.string("about:blank");
  json.name("title");
  json.string(phrase_of(status));
  json.name("status");
  json.integer(status);
  json.name("detail");
  json.string(sentence);
  json.end_object();
  send({status, kProblemMediaType, fields, body});
}

std::string_view phrase_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 428: return "Precondition Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "";
  }
}

}  // namespace sluice::doors::http
