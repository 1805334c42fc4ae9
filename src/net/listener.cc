#include "net/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace sluice::net {
namespace {

// So that those who are connected already wait no longer than for these.
constexpr int kMostAtOnce = 64;
// Who may wait to be accepted: as many as the kernel keeps for us.
constexpr int kMostWaiting = 4096;

// Who gives the spare descriptor up must be the one to get it back: meanwhile no other loop accepts.
std::shared_mutex& descriptors_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

Descriptor accept_from(int fd) {
  const std::shared_lock lock(descriptors_mutex());
  return Descriptor(accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

// Whether anybody was waiting.
bool close_one(int fd) { return static_cast<bool>(Descriptor(accept4(fd, nullptr, nullptr, SOCK_CLOEXEC))); }

Descriptor reserve_one() { return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

Listener::Listener(Place place, Descriptor fd, const Door& door, SessionMaker& maker)
    : loop_(place.loop),
      fibers_(place.fibers),
      fd_(std::move(fd)),
      door_(door),
      maker_(maker),
      outbox_(loop_),
      spare_(reserve_one()) {}

Listener::~Listener() {
  if (fd_) loop_.forget(fd_.get());
  while (!connections_.empty()) connections_.back()->close();
}

// Where loops share a socket, a new connection wakes only one of them.
bool Listener::start() { return loop_.watch(fd_.get(), EPOLLIN | EPOLLEXCLUSIVE, *this); }

void Listener::drain() {
  // Those who wait already were let in by the kernel, and would find their connection reset.
  for (int i = 0; i < kMostWaiting && fd_; ++i) {
    if (!accept_one()) break;
  }
  if (fd_) loop_.forget(fd_.get());
  fd_ = Descriptor();
  for (size_t i = connections_.size(); i-- > 0;) connections_[i]->drain();
}

void Listener::on_ready(uint32_t) {
  for (int i = 0; i < kMostAtOnce && fd_; ++i) {
    if (!accept_one()) return;
  }
}

// False when nobody is waiting.
bool Listener::accept_one() {
  Descriptor fd = accept_from(fd_.get());
  if (!fd) {
    if (errno == EMFILE || errno == ENFILE) shed_one();
    return errno == ECONNABORTED || errno == EINTR;
  }
  if (door_.cap.open.fetch_add(1, std::memory_order_relaxed) >= door_.cap.most) {
    door_.cap.open.fetch_sub(1, std::memory_order_relaxed);
    door_.traffic.refused.fetch_add(1, std::memory_order_relaxed);
    return true;  // and it is closed
  }
  take_in(std::move(fd));
  return true;
}

void Listener::take_in(Descriptor fd) {
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // a local socket has no such option
  door_.traffic.accepted.fetch_add(1, std::memory_order_relaxed);
  door_.traffic.open.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<TlsStream> tls;
  if (door_.identity != nullptr) tls = TlsStream::accept(*door_.identity, fd.get());
  const bool lacks_tls = door_.identity != nullptr && tls == nullptr;
  connections_.push_back(std::make_unique<Connection>(
      Surroundings{loop_, outbox_, door_.patience, door_.traffic, *this, fibers_}, std::move(fd), std::move(tls)));
  Connection& connection = *connections_.back();
  connection.place = connections_.size() - 1;
  if (lacks_tls || !connection.start(maker_)) connection.close();
}

// Without this the kernel would report the same connection again and again.
void Listener::shed_one() {
  {
    const std::unique_lock lock(descriptors_mutex());
    spare_ = Descriptor();
    if (close_one(fd_.get())) door_.traffic.refused.fetch_add(1, std::memory_order_relaxed);
    spare_ = reserve_one();
  }
  // Something else in the process was faster. Those who are connected wait a moment, so that the loop does not turn in
  // circles.
  if (!spare_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  errno = EMFILE;
}

void Listener::on_closed(Connection& connection) {
  const size_t place = connection.place;
  std::unique_ptr<Connection> gone = std::move(connections_[place]);
  if (place + 1 < connections_.size()) {
    connections_[place] = std::move(connections_.back());
    connections_[place]->place = place;
  }
  connections_.pop_back();
  if (!spare_) spare_ = reserve_one();
  door_.cap.open.fetch_sub(1, std::memory_order_relaxed);
  door_.traffic.open.fetch_sub(1, std::memory_order_relaxed);
  loop_.retire(std::move(gone));
}

}  // namespace sluice::net
