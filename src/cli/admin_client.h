// The admin door of a running server, for commands that ask it. Not thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

namespace sluice::cli {

struct AdminRequest {
  std::string method = "GET";
  std::string path;  // with its query, encoded
  std::string body{};
  std::string if_match{};
};

struct AdminAnswer {
  int status = 0;
  std::string body;
};

class AdminClient {
 public:
  // `http://host:port` or `https://host:port`; an empty token is not sent.
  AdminClient(std::string url, std::string token, std::chrono::milliseconds timeout = std::chrono::seconds(10));

  // The text is why there is no answer, and names the server.
  std::variant<AdminAnswer, std::string> send(const AdminRequest& request) const;

  const std::string& url() const { return url_; }

 private:
  std::string url_;
  std::string token_;
  std::chrono::milliseconds timeout_;
};

// For a value in a query.
std::string percent_encoded(std::string_view text);

}  // namespace sluice::cli
