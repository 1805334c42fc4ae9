#include <gmock/gmock.h>

#include "redis/client.h"
#include "redis/client_testing.h"
#include "redis_servers/server.h"
#include "redis_servers/tls_files.h"

namespace sluice::redis {
namespace {

using redis_testing::Server;
using redis_testing::TlsFiles;
using ::testing::HasSubstr;

// A server that speaks TLS on a second port.
struct EncryptedServer {
  TlsFiles files;
  uint16_t port = redis_testing::free_port();
  Server server;

  explicit EncryptedServer(const std::string& asks_clients = "no")
      : server({"--tls-port", std::to_string(port), "--tls-cert-file", files.certificate(), "--tls-key-file",
                files.key(), "--tls-ca-cert-file", files.authority(), "--tls-auth-clients", asks_clients}) {}

  std::string url(const std::string& host = "127.0.0.1") const {
    return "rediss://" + host + ":" + std::to_string(port);
  }
};

std::unique_ptr<net::TlsClient> trusting(const net::TlsTrust& trust) {
  auto made = net::TlsClient::load(trust);
  if (const auto* why = std::get_if<std::string>(&made)) ADD_FAILURE() << *why;
  return std::move(std::get<std::unique_ptr<net::TlsClient>>(made));
}

Options with_tls(const std::string& url, const net::TlsClient& tls) {
  Options options = ClientOnLoop::patient(url);
  options.tls = &tls;
  return options;
}

TEST(Encrypted, AnswersAreTheSame) {
  EncryptedServer encrypted;
  const auto tls = trusting({encrypted.files.authority(), {}});
  for (const char* const host : {"127.0.0.1", "localhost"}) {
    ClientOnLoop client(with_tls(encrypted.url(host), *tls));
    ASSERT_TRUE(client.comes_up()) << client.client().status().why;
    const std::string large(300'000, 'x');
    EXPECT_EQ(client.ask({"SET", "k", large}), "OK");
    EXPECT_EQ(client.ask({"GET", "k"}), large);
    std::vector<std::unique_ptr<Question>> questions;
    std::vector<Question*> all;
    for (int i = 0; i < 2000; ++i) {
      questions.push_back(std::make_unique<Question>(std::initializer_list<std::string_view>{"INCR", host}));
      all.push_back(questions.back().get());
    }
    client.send(all);
    ASSERT_TRUE(wait_until([&] { return all.back()->is_told.load(); }));
    EXPECT_EQ(all.back()->answer, "2000");
  }
}

TEST(Encrypted, ACertificateOfAnotherAuthorityIsToldClearly) {
  EncryptedServer encrypted;
  const TlsFiles other;
  const auto tls = trusting({other.authority(), {}});
  ClientOnLoop client(with_tls(encrypted.url(), *tls));
  EXPECT_TRUE(client.comes_to_complain_of("TLS: the certificate does not hold: self-signed certificate"))
      << client.client().status().why;
  const auto system = trusting({});
  ClientOnLoop believing(with_tls(encrypted.url(), *system));
  EXPECT_TRUE(believing.comes_to_complain_of("the certificate does not hold")) << believing.client().status().why;
}

TEST(Encrypted, ACertificateForAnotherHostIsToldClearly) {
  EncryptedServer encrypted;
  const auto tls = trusting({encrypted.files.authority(), {}});
  Options options = with_tls(encrypted.url(), *tls);
  options.tls_name = "redis.example.com";
  ClientOnLoop client(options);
  EXPECT_TRUE(client.comes_to_complain_of("the certificate does not hold: hostname mismatch"))
      << client.client().status().why;
}

TEST(Encrypted, AServerThatWantsACertificateGetsIt) {
  EncryptedServer encrypted("yes");
  const TlsFiles& files = encrypted.files;
  const auto nameless = trusting({files.authority(), {}});
  ClientOnLoop client(with_tls(encrypted.url(), *nameless));
  EXPECT_TRUE(client.comes_to_complain_of("certificate required")) << client.client().status().why;
  const auto named = trusting({files.authority(), {files.certificate(), files.key()}});
  ClientOnLoop known(with_tls(encrypted.url(), *named));
  EXPECT_TRUE(known.comes_up()) << known.client().status().why;
}

TEST(Encrypted, AServerInTheClearIsToldClearly) {
  EncryptedServer encrypted;
  const auto tls = trusting({encrypted.files.authority(), {}});
  Options options = with_tls("rediss://" + encrypted.server.address(), *tls);
  options.connect_ms = 200;
  ClientOnLoop client(options);
  EXPECT_TRUE(client.comes_to_complain_of("does it speak TLS there?")) << client.client().status().why;
}

TEST(Encrypted, FilesThatCannotBeUsedAreNamed) {
  auto made = net::TlsClient::load({"/no/such/file", {}});
  EXPECT_THAT(std::get<std::string>(made), HasSubstr("cannot read the file of certificate authorities /no/such/file"));
}

}  // namespace
}  // namespace sluice::redis
