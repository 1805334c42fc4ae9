#include "redis/lookup.h"

#include <netdb.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/un.h>

#include <mutex>
#include <system_error>
#include <thread>

namespace sluice::redis {
namespace {

Found find(const Address& address, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  Found found;
  if (error != 0) {
    found.why = "cannot find the host " + address.host + ": " + gai_strerror(error);
    return found;
  }
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    SocketAddress& one = found.addresses.emplace_back();
    memcpy(&one.storage, entry->ai_addr, entry->ai_addrlen);
    one.size = entry->ai_addrlen;
  }
  freeaddrinfo(list);
  return found;
}

Found local(const std::string& path) {
  Found found;
  SocketAddress one;
  auto& socket = reinterpret_cast<sockaddr_un&>(one.storage);
  if (path.size() >= sizeof(socket.sun_path)) {
    found.why = "the path of the socket " + path + " is too long; the kernel takes " +
                std::to_string(sizeof(socket.sun_path) - 1) + " bytes";
    return found;
  }
  socket.sun_family = AF_UNIX;
  memcpy(socket.sun_path, path.c_str(), path.size() + 1);
  one.size = sizeof(sockaddr_un);
  found.addresses.push_back(one);
  return found;
}

}  // namespace

struct Lookup::Shared {
  net::Descriptor bell{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;  // for found
  Found found;
};

Found find_at_once(const Address& address) {
  return address.is_local() ? local(address.path) : find(address, AI_NUMERICHOST);
}

bool Lookup::start(const Address& address) {
  shared_ = std::make_shared<Shared>();
  if (!shared_->bell || !loop_.watch(shared_->bell.get(), EPOLLIN, *this)) return false;
  try {
    std::thread([shared = shared_, address] {
      Found found = find(address, AI_ADDRCONFIG);
      const std::lock_guard lock(shared->mutex);
      shared->found = std::move(found);
      eventfd_write(shared->bell.get(), 1);
    }).detach();
  } catch (const std::system_error&) {
    close();
    return false;
  }
  return true;
}

void Lookup::close() {
  if (shared_ == nullptr) return;
  if (shared_->bell) loop_.forget(shared_->bell.get());
  shared_.reset();
}

void Lookup::on_ready(uint32_t) {
  if (shared_ == nullptr) return;
  Found found;
  {
    const std::lock_guard lock(shared_->mutex);
    found = std::move(shared_->found);
  }
  close();
  then_(found);
}

}  // namespace sluice::redis
