#include "redis/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

namespace sluice::redis {
namespace {

using net::Transfer;
using net::Transferred;

Transferred would_block_or_failed(Transfer if_blocked) {
  const bool is_blocked = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {is_blocked ? if_blocked : Transfer::kFailed, 0};
}

// A port of this machine that nobody listens to may be given to the very socket that dials it.
bool is_connected_to_itself(int fd) {
  SocketAddress here, there;
  here.size = there.size = sizeof(here.storage);
  if (getsockname(fd, here.get(), &here.size) != 0 || getpeername(fd, there.get(), &there.size) != 0) return false;
  return here.storage.ss_family != AF_UNIX && here.size == there.size &&
         memcmp(&here.storage, &there.storage, here.size) == 0;
}

}  // namespace

Wire::Wire(net::Loop& loop, const Dial& dial, WireOwner& owner) : loop_(loop), dial_(dial), owner_(owner) {}

void Wire::start() {
  if (Found found = find_at_once(dial_.address); !found.addresses.empty() || dial_.address.is_local()) {
    return on_found(found);
  }
  lookup_ = std::make_unique<Lookup>(loop_, [this](const Found& found) { on_found(found); });
  if (!lookup_->start(dial_.address)) lose("cannot find the host: the kernel refuses a thread");
}

void Wire::on_found(const Found& found) {
  if (!found.why.empty()) return lose(found.why);
  addresses_.assign(found.addresses.rbegin(), found.addresses.rend());
  state_ = State::kDialling;
  owner_.on_dialling();
  if (state_ == State::kDialling) dial_next();
}

void Wire::dial_next() {
  while (!addresses_.empty()) {
    const SocketAddress to = addresses_.back();
    addresses_.pop_back();
    if (dial(to)) return;
    last_error_ = strerror(errno);
  }
  lose("cannot connect: " + last_error_);
}

bool Wire::dial(const SocketAddress& to) {
  fd_ = net::Descriptor(socket(to.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_) return false;
  const int on = 1;
  if (to.storage.ss_family != AF_UNIX) {
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  }
  if (connect(fd_.get(), to.get(), to.size) != 0 && errno != EINPROGRESS) return false;
  watched_ = EPOLLOUT;
  return loop_.watch(fd_.get(), watched_, *this);
}

void Wire::finish_dialling() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0 && is_connected_to_itself(fd_.get())) error = ECONNREFUSED;
  if (error != 0) {
    last_error_ = strerror(error);
    loop_.forget(fd_.get());
    return dial_next();
  }
  if (dial_.tls != nullptr) return begin_tls();
  become_connected();
}

void Wire::begin_tls() {
  state_ = State::kShakingHands;
  tls_ = net::TlsStream::connect(*dial_.tls, fd_.get(), dial_.tls_name.empty() ? dial_.address.host : dial_.tls_name);
  if (tls_ == nullptr) return lose("no TLS: there is no memory for it, or the host's name is none");
  shake_hands();
}

// Reading does it: and nothing can come before a server was asked.
void Wire::shake_hands() {
  const Transferred got = tls_->read(loop_.scratch(), net::Loop::kScratchBytes);
  if (got.result == Transfer::kFailed || got.result == Transfer::kEnd) {
    return lose(what_failed("TLS: the server ended the connection; does it speak TLS?"));
  }
  if (!tls_->has_shaken_hands()) return watch_for(got.result == Transfer::kWantWrite ? EPOLLOUT : EPOLLIN);
  become_connected();
}

const char* Wire::what_is_missing() const {
  switch (state_) {
    case State::kFinding: return "the host was not found";
    case State::kShakingHands: return "the server did not shake hands (does it speak TLS there?)";
    case State::kConnected: return "the server did not answer";
    case State::kDialling:
    case State::kClosed: break;
  }
  return "no connection";
}

void Wire::become_connected() {
  state_ = State::kConnected;
  watch_for(EPOLLIN);
  owner_.on_connected();
}

void Wire::append(std::string_view bytes) {
  output_.append(bytes);
  appended_ += bytes.size();
  if (is_deferred_) return;
  is_deferred_ = true;
  loop_.defer(*this);
}

void Wire::on_turn_end() {
  is_deferred_ = false;
  if (state_ == State::kConnected) flush();
}

void Wire::on_ready(uint32_t events) {
  switch (state_) {
    case State::kFinding:
    case State::kClosed: return;
    case State::kDialling: return finish_dialling();
    case State::kShakingHands: return shake_hands();
    case State::kConnected: break;
  }
  if ((events & ~uint32_t{EPOLLOUT}) != 0 && !read_all()) return;
  if (!output_.empty() && !is_deferred_) flush();
}

// A socket is read once: if there is more, the loop comes back. What OpenSSL has read ahead the loop does not know of.
// False when it is over.
bool Wire::read_all() {
  for (;;) {
    char* const to = loop_.scratch();
    const Transferred got = receive(to, net::Loop::kScratchBytes);
    if (got.result == Transfer::kWantRead) return true;
    if (got.result == Transfer::kWantWrite) {
      watch_for(EPOLLIN | EPOLLOUT);
      return true;
    }
    if (!take(got, to)) return false;
    if (tls_ == nullptr) return true;
  }
}

bool Wire::take(const Transferred& got, const char* bytes) {
  if (got.result == Transfer::kEnd) {
    lose("the server closed the connection");
    return false;
  }
  if (got.result == Transfer::kFailed) {
    lose(what_failed("the connection broke"));
    return false;
  }
  bool is_sense = reader_.feed({bytes, got.bytes});
  Reply reply;
  for (Reader::Next next = Reader::Next::kReply; is_sense && next == Reader::Next::kReply;) {
    next = reader_.next(reply);
    is_sense = next != Reader::Next::kNonsense;
    if (next == Reader::Next::kReply) owner_.on_wire_reply(reply);
    if (state_ == State::kClosed) return false;
  }
  if (!is_sense) lose("what came is no Redis protocol: " + reader_.complaint());
  return is_sense;
}

Transferred Wire::receive(char* to, size_t size) {
  if (tls_ != nullptr) return tls_->read(to, size);
  const ssize_t got = recv(fd_.get(), to, size, 0);
  if (got > 0) return {Transfer::kDone, static_cast<size_t>(got)};
  if (got == 0) return {Transfer::kEnd, 0};
  return would_block_or_failed(Transfer::kWantRead);
}

Transferred Wire::transmit(std::string_view bytes) {
  if (tls_ != nullptr) return tls_->write(bytes);
  const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {Transfer::kDone, static_cast<size_t>(sent)};
  return would_block_or_failed(Transfer::kWantWrite);
}

void Wire::flush() {
  while (!output_.empty()) {
    const Transferred sent = transmit(output_.bytes());
    if (sent.result == Transfer::kDone) {
      output_.drop_front(sent.bytes);
      continue;
    }
    if (sent.result == Transfer::kWantWrite) return watch_for(EPOLLIN | EPOLLOUT);
    if (sent.result == Transfer::kWantRead) return watch_for(EPOLLIN);
    const std::string why = what_failed("the connection broke");
    // Its last words may say more.
    if (read_all()) lose(why);
    return;
  }
  watch_for(EPOLLIN);
}

void Wire::watch_for(uint32_t events) {
  if (events == watched_) return;
  watched_ = events;
  loop_.change(fd_.get(), events, *this);
}

std::string Wire::what_failed(const char* otherwise) const {
  if (tls_ != nullptr) return tls_->complaint().empty() ? otherwise : "TLS: " + tls_->complaint();
  return errno != 0 ? std::string(otherwise) + ": " + strerror(errno) : otherwise;
}

void Wire::lose(const std::string& why) {
  if (state_ == State::kClosed) return;
  close();
  owner_.on_wire_lost(why);
}

void Wire::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  if (lookup_ != nullptr) {
    lookup_->close();
    loop_.retire(std::move(lookup_));
  }
  if (fd_ && watched_ != 0) loop_.forget(fd_.get());
}

}  // namespace sluice::redis
