#include "net/tls.h"

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "net/serving_testing.h"

namespace sluice::net {
namespace {

using ::testing::HasSubstr;

// A key and a certificate that it signed itself.
void write_identity(const TlsFiles& files, const char* name) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  X509_sign(certificate, key, EVP_sha256());
  FILE* file = fopen(files.certificate.c_str(), "w");
  PEM_write_X509(file, certificate);
  fclose(file);
  file = fopen(files.key.c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

class Tls : public ::testing::Test {
 protected:
  Tls() {
    char name[] = "/tmp/sluice_tls_XXXXXX";
    folder_ = mkdtemp(name);
    files_ = {folder_ + "/certificate.pem", folder_ + "/key.pem"};
    write_identity(files_, "first");
  }
  ~Tls() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<TlsIdentity> identity() const {
    return std::move(std::get<std::unique_ptr<TlsIdentity>>(TlsIdentity::load(files_)));
  }
  std::string refusal() const {
    auto made = TlsIdentity::load(files_);
    const auto* why = std::get_if<std::string>(&made);
    return why != nullptr ? *why : "loaded";
  }

  std::string folder_;
  TlsFiles files_;
};

// OpenSSL's own client, with all its waiting.
class Client {
 public:
  explicit Client(const Serving& serving) : fd_(serving.connect()), context_(SSL_CTX_new(TLS_client_method())) {
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_.get());
    is_connected = SSL_connect(ssl_) == 1;
  }
  ~Client() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  std::string ask(const std::string& line, size_t size) {
    say(line);
    return receive(size);
  }
  // A record of its own.
  void say(const std::string& line) { SSL_write(ssl_, line.data(), static_cast<int>(line.size())); }
  std::string receive(size_t size) {
    std::string got;
    char buffer[16384];
    for (int count = 1; got.size() < size && count > 0;) {
      count = SSL_read(ssl_, buffer, sizeof(buffer));
      if (count > 0) got.append(buffer, static_cast<size_t>(count));
    }
    return got;
  }
  std::string name() const {
    char text[100] = "";
    X509* const certificate = SSL_get1_peer_certificate(ssl_);
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, sizeof(text));
    X509_free(certificate);
    return text;
  }

  bool is_connected = false;

 private:
  Descriptor fd_;
  SSL_CTX* context_;
  SSL* ssl_;
};

TEST_F(Tls, CarriesShortAndLongMessages) {
  const auto shown = identity();
  Serving serving(Serving::Options{{}, 100, shown.get()});
  Client client(serving);
  ASSERT_TRUE(client.is_connected);
  EXPECT_EQ(client.ask("hello\n", 6), "hello\n");
  const std::string line = std::string(200'000, 'a') + "\n";
  EXPECT_EQ(client.ask(line, line.size()), line);
  EXPECT_EQ(client.ask("big 1000000\n", 1'000'001).size(), 1'000'001U);
}

TEST_F(Tls, WhoPipelinesWithoutPauseDoesNotKeepTheLoopToHimself) {
  const auto shown = identity();
  Serving serving(Serving::Options{{}, 100, shown.get()});
  Client eager(serving);
  Client other(serving);
  ASSERT_EQ(eager.ask("hello\n", 6) + other.ask("hello\n", 6), "hello\nhello\n");
  constexpr int kRecords = 300;
  serving.hold_while([&] {
    for (int i = 0; i < kRecords; ++i) eager.say("x\n");
    other.say("count\n");
  });
  EXPECT_LT(std::stoi(other.receive(2)), kRecords / 10);
  EXPECT_EQ(eager.receive(2 * kRecords).size(), 2U * kRecords);
}

TEST_F(Tls, ReloadShowsTheNewCertificateToNewConnectionsAndKeepsOldOnes) {
  const auto shown = identity();
  Serving serving(Serving::Options{{}, 100, shown.get()});
  Client before(serving);
  EXPECT_EQ(before.name(), "first");
  write_identity(files_, "second");
  EXPECT_EQ(shown->reload(), "");
  Client after(serving);
  EXPECT_EQ(after.name(), "second");
  EXPECT_EQ(before.ask("still here\n", 11), "still here\n");
}

TEST_F(Tls, AFaultyFileKeepsTheLastGoodCertificate) {
  const auto shown = identity();
  std::ofstream(files_.certificate) << "no certificate";
  EXPECT_THAT(shown->reload(), HasSubstr("cannot use the certificate " + files_.certificate));
  Serving serving(Serving::Options{{}, 100, shown.get()});
  EXPECT_EQ(Client(serving).name(), "first");
}

TEST_F(Tls, SaysWhichFileIsWrong) {
  const TlsFiles good = files_;
  files_.key = folder_ + "/other.pem";
  EXPECT_THAT(refusal(), HasSubstr("cannot read the key " + files_.key + ": No such file"));
  write_identity({folder_ + "/x.pem", files_.key}, "other");
  EXPECT_THAT(refusal(), HasSubstr("does not belong to the certificate " + good.certificate));
}

TEST_F(Tls, WhoSpeaksInTheClearIsSentAway) {
  const auto shown = identity();
  Serving serving(Serving::Options{{}, 100, shown.get()});
  const Descriptor client = serving.connect();
  say(client, "GET / HTTP/1.1\r\n\r\n");
  receive(client, 1000);
  EXPECT_TRUE(is_closed(client));
  EXPECT_EQ(serving.traffic.failed, 1U);
}

TEST_F(Tls, WhoNeverShakesHandsIsSentAwayInTime) {
  const auto shown = identity();
  Serving serving({{0, 300, 10'000}, 100, shown.get()});
  const Descriptor client = serving.connect();
  EXPECT_TRUE(is_closed(client));
  EXPECT_EQ(serving.traffic.timed_out, 1U);
}

}  // namespace
}  // namespace sluice::net
