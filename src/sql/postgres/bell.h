// A descriptor that is readable when a socket is, or once it was rung: what arrives while a statement is under way is
// read off the socket with its answer, and would be noticed by nobody who waits for the socket alone.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "net/descriptor.h"

namespace sluice::sql::postgres {

class Bell {
 public:
  explicit Bell(int socket) : both_(epoll_create1(EPOLL_CLOEXEC)), rung_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    add(socket);
    add(rung_.get());
  }

  int fd() const { return both_.get(); }
  void ring() { eventfd_write(rung_.get(), 1); }
  void still() {
    eventfd_t ignored = 0;
    eventfd_read(rung_.get(), &ignored);
  }

 private:
  void add(int fd) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP;
    event.data.fd = fd;
    epoll_ctl(both_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  net::Descriptor both_;
  net::Descriptor rung_;
};

}  // namespace sluice::sql::postgres
