#include "resp_client/client.h"

#include <cstdlib>

#include "resp_client/reply_reader.h"

namespace sluice::resp_client {

std::string command(std::span<const std::string> arguments) {
  std::string bytes = "*" + std::to_string(arguments.size()) + "\r\n";
  for (const std::string& one : arguments) bytes += "$" + std::to_string(one.size()) + "\r\n" + one + "\r\n";
  return bytes;
}

Client::Client(limiter::Limiter& limiter, doors::resp::Options options)
    : desk_(limiter, time_), maker_(desk_, std::move(options)), session_(maker_.make(peer_)) {}

nlohmann::json Client::ask(const std::vector<std::string>& arguments) {
  output_.clear();
  const std::string bytes = command(arguments);
  if (session_->on_bytes(bytes, output_).bytes != bytes.size()) std::abort();
  std::string_view replies = output_.bytes();
  auto reply = read_reply(replies);
  if (!reply || !replies.empty()) std::abort();
  return std::move(*reply);
}

}  // namespace sluice::resp_client
