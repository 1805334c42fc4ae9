#include "net/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>

namespace sluice::net {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Descriptor listening(const Endpoint& endpoint) {
  auto made = listen_on(endpoint);
  if (const auto* why = std::get_if<std::string>(&made)) {
    ADD_FAILURE() << *why;
    return Descriptor();
  }
  return std::move(std::get<Descriptor>(made));
}

std::string refusal(const Endpoint& endpoint) {
  auto made = listen_on(endpoint);
  const auto* why = std::get_if<std::string>(&made);
  return why != nullptr ? *why : "listens";
}

TEST(Endpoint, TellsThePortThatTheKernelChose) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    const Descriptor fd = listening({host, 0, ""});
    EXPECT_EQ(bound_to(fd.get()).host, host);
    EXPECT_NE(bound_to(fd.get()).port, 0);
  }
}

TEST(Endpoint, ABusyPortIsRefusedThoughLoopsOfOneProcessShareIt) {
  const Descriptor first = listening({"127.0.0.1", 0, ""});
  const Endpoint place = bound_to(first.get());
  EXPECT_THAT(refusal(place), AllOf(HasSubstr("cannot listen on " + to_text(place)), HasSubstr("another program")));
  auto beside = listen_beside(first.get());
  ASSERT_TRUE(std::holds_alternative<Descriptor>(beside));
  EXPECT_EQ(bound_to(std::get<Descriptor>(beside).get()).port, place.port);
}

TEST(Endpoint, SaysWhatIsWrongWithAnAddress) {
  EXPECT_THAT(refusal({"example.com", 80, ""}), HasSubstr("numeric address"));
  EXPECT_THAT(refusal({"192.0.2.1", 4000, ""}), HasSubstr("does not have that address"));
  EXPECT_THAT(refusal({"", 0, std::string(200, 'x')}), HasSubstr("too long"));
  EXPECT_THAT(refusal({"", 0, "/nonexistent/folder/socket"}), HasSubstr("No such file"));
}

class LocalSocket : public ::testing::Test {
 protected:
  LocalSocket() {
    char name[] = "/tmp/sluice_endpoint_XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~LocalSocket() override { std::filesystem::remove_all(folder_); }
  Endpoint place() const { return {"", 0, folder_ + "/socket"}; }

 private:
  std::string folder_;
};

TEST_F(LocalSocket, ThatAKilledProcessLeftIsTakenOver) {
  listening(place());  // and closed, which leaves the file
  ASSERT_TRUE(std::filesystem::exists(place().path));
  EXPECT_TRUE(listening(place()));
}

TEST_F(LocalSocket, ThatIsInUseIsRefused) {
  const Descriptor first = listening(place());
  EXPECT_THAT(refusal(place()), HasSubstr("another program"));
  EXPECT_TRUE(std::holds_alternative<Descriptor>(listen_beside(first.get())));
}

TEST(Endpoint, IsWrittenAsItIsTyped) {
  EXPECT_EQ(to_text({"127.0.0.1", 8080, ""}), "127.0.0.1:8080");
  EXPECT_EQ(to_text({"::1", 8080, ""}), "[::1]:8080");
  EXPECT_EQ(to_text({"", 0, "/run/s"}), "unix:/run/s");
}

}  // namespace
}  // namespace sluice::net
