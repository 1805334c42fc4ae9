#include "net/supervisor.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "net/endpoint.h"

namespace sluice::net {
namespace {

TEST(Supervisor, SocketsForAnotherProcessAreNotTaken) {
  setenv("LISTEN_PID", "1", 1);
  setenv("LISTEN_FDS", "1", 1);
  EXPECT_TRUE(take_sockets().empty());
  EXPECT_EQ(getenv("LISTEN_FDS"), nullptr);
}

// In a child, for the numbers of its descriptors are given.
TEST(Supervisor, HandsOverSocketsWithTheirNames) {
  const auto child = [] {
    for (int fd = 3; fd < 100; ++fd) close(fd);
    auto made = listen_on({"127.0.0.1", 0, ""});
    const int http = std::get<Descriptor>(made).get();
    if (http != 3 || dup(http) != 4) _exit(1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    setenv("LISTEN_FDS", "2", 1);
    setenv("LISTEN_FDNAMES", "http:resp", 1);
    const auto sockets = take_sockets();
    const bool is_right = sockets.size() == 2 && sockets[0].name == "http" && sockets[0].fd.get() == 3 &&
                          sockets[1].name == "resp" && sockets[1].fd.get() == 4;
    _exit(is_right ? 0 : 2);
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
}

TEST(Supervisor, IsToldWhereItListens) {
  char folder[] = "/tmp/sluice_supervisor_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = std::string(folder) + "/notify";
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const Descriptor fd(socket(AF_UNIX, SOCK_DGRAM, 0));
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  tell_supervisor("READY=1");
  unsetenv("NOTIFY_SOCKET");
  char got[100];
  const ssize_t size = recv(fd.get(), got, sizeof(got), MSG_DONTWAIT);
  ASSERT_GT(size, 0);
  EXPECT_EQ(std::string(got, static_cast<size_t>(size)), "READY=1");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sluice::net
