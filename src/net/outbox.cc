#include "net/outbox.h"

#include "net/connection.h"

namespace sluice::net {
namespace {

// Beyond this nothing is gained by waiting, and memory would be touched that is in no cache.
constexpr size_t kMostBytes = size_t{32} << 10;

}  // namespace

void Outbox::add(Connection& connection, size_t bytes) {
  if (letters_.empty()) loop_.defer(*this);
  letters_.push_back({&connection, bytes});
  if (output_.size() > kMostBytes) flush();
}

void Outbox::flush() {
  std::string_view rest = output_.bytes();
  for (const Letter& letter : letters_) {
    letter.to->deliver(rest.substr(0, letter.bytes));
    rest.remove_prefix(letter.bytes);
  }
  letters_.clear();
  output_.clear();
}

}  // namespace sluice::net
