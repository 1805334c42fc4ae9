#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509err.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

namespace sluice::net {
namespace {

// What went wrong, in OpenSSL's own words: what it says later is only that something did.
std::string first_error() {
  const unsigned long code = ERR_peek_error();
  const char* reason = ERR_reason_error_string(code);
  ERR_clear_error();
  return reason != nullptr ? reason : "no reason given";
}

std::string cannot_use(const char* what, const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) {
    const std::string why = strerror(errno);
    ERR_clear_error();
    return std::string("cannot read the ") + what + " " + path + ": " + why;
  }
  return std::string("cannot use the ") + what + " " + path + ": " + first_error() + "; it must be PEM";
}

}  // namespace

std::variant<TlsIdentity::Context, std::string> TlsIdentity::make_context(const TlsFiles& files) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return "no TLS: " + first_error();
  SSL_CTX* const raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle connections hold no buffers; what was sent in part may be sent again from elsewhere.
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate.c_str()) != 1) {
    return cannot_use("certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool is_foreign = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
    if (!is_foreign) return cannot_use("key", files.key);
    ERR_clear_error();
    return "the key " + files.key + " does not belong to the certificate " + files.certificate;
  }
  return context;
}

std::variant<std::unique_ptr<TlsIdentity>, std::string> TlsIdentity::load(const TlsFiles& files) {
  // OpenSSL cannot be told to leave it out: writing to a socket that was closed would end the process.
  signal(SIGPIPE, SIG_IGN);
  std::unique_ptr<TlsIdentity> identity(new TlsIdentity(files));
  if (std::string why = identity->reload(); !why.empty()) return why;
  return identity;
}

std::string TlsIdentity::reload() {
  auto made = make_context(files_);
  if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
  const std::lock_guard lock(mutex_);
  context_ = std::move(std::get<Context>(made));
  return {};
}

TlsIdentity::Context TlsIdentity::context() const {
  const std::lock_guard lock(mutex_);
  return context_;
}

std::unique_ptr<TlsStream> TlsStream::accept(const TlsIdentity& identity, int fd) {
  SSL* const ssl = SSL_new(identity.context().get());  // which keeps its context alive
  if (ssl == nullptr) return nullptr;
  if (SSL_set_fd(ssl, fd) != 1) {
    SSL_free(ssl);
    return nullptr;
  }
  SSL_set_accept_state(ssl);
  return std::unique_ptr<TlsStream>(new TlsStream(ssl));
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

bool TlsStream::has_shaken_hands() const { return SSL_is_init_finished(ssl_) == 1; }

Transferred TlsStream::read(char* to, size_t size) {
  ERR_clear_error();
  size_t got = 0;
  const int result = SSL_read_ex(ssl_, to, size, &got);
  return outcome(result, got);
}

Transferred TlsStream::write(std::string_view bytes) {
  ERR_clear_error();
  size_t sent = 0;
  const int result = SSL_write_ex(ssl_, bytes.data(), bytes.size(), &sent);
  return outcome(result, sent);
}

Transferred TlsStream::outcome(int result, size_t bytes) {
  if (result == 1) return {Transfer::kDone, bytes};
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return {Transfer::kWantRead, 0};
    case SSL_ERROR_WANT_WRITE: return {Transfer::kWantWrite, 0};
    case SSL_ERROR_ZERO_RETURN: return {Transfer::kEnd, 0};
    default: ERR_clear_error(); return {Transfer::kFailed, 0};
  }
}

void TlsStream::finish() {
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace sluice::net
