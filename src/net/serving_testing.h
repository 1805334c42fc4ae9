// For tests: a listener on a loop with a thread of its own, and a client at its other end.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <future>
#include <memory>
#include <string>
#include <thread>

#include "net/endpoint.h"
#include "net/listener.h"

namespace sluice::net {

// Answers each line with itself. `big N` is answered with N bytes, `count` with how many lines came on all connections,
// `bye` ends the connection.
class LineEcho final : public Session {
 public:
  explicit LineEcho(size_t& lines) : lines_(lines) {}

  Consumed on_bytes(std::string_view bytes, Turn turn) override {
    Output& output = turn.output;
    Consumed consumed;
    for (size_t end = 0; output.has_room() && (end = bytes.find('\n', consumed.bytes)) != std::string_view::npos;) {
      const std::string_view line = bytes.substr(consumed.bytes, end - consumed.bytes);
      consumed.bytes = end + 1;
      ++lines_;
      if (line == "bye") {
        output.append("bye\n");
        consumed.next = Next::kClose;
        break;
      }
      if (line.starts_with("big ")) {
        output.append(std::string(std::stoul(std::string(line.substr(4))), 'x'));
      } else if (line == "count") {
        output.append(std::to_string(lines_));
      } else {
        output.append(line);
      }
      output.append("\n");
    }
    return consumed;
  }

 private:
  size_t& lines_;
};

class LineEchoMaker final : public SessionMaker {
 public:
  std::unique_ptr<Session> make(const Peer&) override { return std::make_unique<LineEcho>(lines_); }

 private:
  size_t lines_ = 0;
};

inline Descriptor connect_to(uint16_t port) {
  Descriptor fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) ADD_FAILURE() << "no server";
  return fd;
}

class Serving {
 public:
  struct Options {
    Patience patience{};
    uint64_t most_connections = 100;
    const TlsIdentity* identity = nullptr;
  };

  Serving(const Serving&) = delete;
  explicit Serving(const Options& options)
      : cap(options.most_connections),
        door_{options.patience, cap, traffic, options.identity},
        loop_(std::move(std::get<std::unique_ptr<Loop>>(Loop::create()))) {
    Descriptor fd = std::move(std::get<Descriptor>(listen_on({"127.0.0.1", 0, ""})));
    port_ = bound_to(fd.get()).port;
    listener_ = std::make_unique<Listener>(Listener::Place{*loop_}, std::move(fd), door_, maker_);
    EXPECT_TRUE(listener_->start());
    thread_ = std::thread([this] { loop_->run(); });
  }
  ~Serving() {
    loop_->stop();
    thread_.join();
  }

  void drain() {
    on_loop([this] { listener_->drain(); });
  }
  // Drains when that was done, in the same turn of the loop.
  template <class Task>
  void drain_after(const Task& task) {
    on_loop([&] {
      task();
      listener_->drain();
    });
  }
  // While that is done the loop waits.
  template <class Task>
  void hold_while(const Task& task) {
    on_loop(task);
  }
  size_t open() {
    size_t open = 0;
    on_loop([&] { open = listener_->open(); });
    return open;
  }

  Descriptor connect() const { return connect_to(port_); }

  ConnectionCap cap;
  Traffic traffic;

 private:
  template <class Task>
  void on_loop(const Task& task) {
    std::promise<void> done;
    loop_->post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  const Listener::Door door_;
  LineEchoMaker maker_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Listener> listener_;
  uint16_t port_ = 0;
  std::thread thread_;
};

// What comes until `size` bytes are there, the other end has finished, or two seconds pass.
inline std::string receive(const Descriptor& fd, size_t size) {
  std::string got;
  while (got.size() < size) {
    pollfd ready{fd.get(), POLLIN, 0};
    char buffer[65536];
    const ssize_t count = poll(&ready, 1, 2000) == 1 ? recv(fd.get(), buffer, sizeof(buffer), 0) : 0;
    if (count <= 0) break;
    got.append(buffer, static_cast<size_t>(count));
  }
  return got;
}

inline void say(const Descriptor& fd, std::string_view bytes) {
  ASSERT_EQ(send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// Whether the other end closes within two seconds, having said nothing more.
inline bool is_closed(const Descriptor& fd) {
  pollfd ready{fd.get(), POLLIN, 0};
  char byte = 0;
  return poll(&ready, 1, 2000) == 1 && recv(fd.get(), &byte, 1, 0) <= 0;
}

}  // namespace sluice::net
