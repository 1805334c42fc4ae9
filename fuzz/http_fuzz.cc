// Any bytes are requests or a fault, and which does not depend on how they are cut: the same bytes to two doors, once
// in one piece and once in pieces that the first byte chooses, get the same answers.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "doors/http/door_testing.h"

namespace {

namespace http = sluice::doors::http;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Small, so that they are reached.
const http::PublicSettings kSettings{
    .limits = {.header_bytes = 600, .body_bytes = 300, .fields = 8, .target_bytes = 200}};

// Whoever sends in pieces may be asked for a body that others have sent already.
std::string without_continue(std::string text) {
  for (size_t at = text.find(kContinue); at != text.npos; at = text.find(kContinue, at))
    text.erase(at, kContinue.size());
  return text;
}

class Client {
 public:
  void begin() {
    door_.connect();
    // Most of what was taken has come back; what has not, both doors lack.
    door_.time.now = door_.time.now + sluice::Duration::seconds(100);
    sent_back_.clear();
  }

  void send(std::string_view bytes) {
    sent_back_ += door_.send(bytes);
    // What is left because the output was full.
    for (std::string more = door_.send(""); !more.empty(); more = door_.send("")) sent_back_ += more;
  }

  std::string end() { return without_continue(sent_back_) + (door_.is_closed ? "closed" : "open"); }

 private:
  http::DoorUnderTest door_{kSettings};
  std::string sent_back_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static Client whole;
  static Client cut;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  whole.begin();
  whole.send(bytes);
  cut.begin();
  std::minstd_rand random(data[0] + 1U);
  for (size_t at = 0; at < bytes.size();) {
    const size_t piece = data[0] == 0 ? 1 : 1 + random() % 40;
    cut.send(bytes.substr(at, piece));
    at += piece;
  }
  if (whole.end() != cut.end()) std::abort();
  return 0;
}
