#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509err.h>
#include <openssl/x509v3.h>
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

// What both ends have in common.
void set_manners(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Idle connections hold no buffers; what was sent in part may be sent again from elsewhere.
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

// Empty, or what is wrong.
std::string use_files(SSL_CTX* context, const TlsFiles& files) {
  if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
    return cannot_use("certificate", files.certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) == 1) return {};
  const bool is_foreign = ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH;
  if (!is_foreign) return cannot_use("key", files.key);
  ERR_clear_error();
  return "the key " + files.key + " does not belong to the certificate " + files.certificate;
}

}  // namespace

std::variant<TlsIdentity::Context, std::string> TlsIdentity::make_context(const TlsFiles& files) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr) return "no TLS: " + first_error();
  set_manners(context.get());
  if (std::string why = use_files(context.get(), files); !why.empty()) return why;
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

std::variant<std::unique_ptr<TlsClient>, std::string> TlsClient::load(const TlsTrust& trust) {
  signal(SIGPIPE, SIG_IGN);  // as TlsIdentity does
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) return "no TLS: " + first_error();
  set_manners(context.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (trust.authorities.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1) return "no TLS: " + first_error();
  } else if (SSL_CTX_load_verify_file(context.get(), trust.authorities.c_str()) != 1) {
    return cannot_use("file of certificate authorities", trust.authorities);
  }
  if (trust.own.certificate.empty() != trust.own.key.empty()) {
    return "a client's certificate and its key go together: give both, or none";
  }
  if (!trust.own.certificate.empty()) {
    if (std::string why = use_files(context.get(), trust.own); !why.empty()) return why;
  }
  return std::unique_ptr<TlsClient>(new TlsClient(context));
}

std::unique_ptr<TlsStream> TlsStream::wrap(SSL_CTX* context, int fd) {
  SSL* const ssl = SSL_new(context);  // which keeps its context alive
  if (ssl == nullptr) return nullptr;
  std::unique_ptr<TlsStream> stream(new TlsStream(ssl));
  return SSL_set_fd(ssl, fd) == 1 ? std::move(stream) : nullptr;
}

std::unique_ptr<TlsStream> TlsStream::accept(const TlsIdentity& identity, int fd) {
  auto stream = wrap(identity.context().get(), fd);
  if (stream != nullptr) SSL_set_accept_state(stream->ssl_);
  return stream;
}

std::unique_ptr<TlsStream> TlsStream::connect(const TlsClient& client, int fd, const std::string& host) {
  auto stream = wrap(client.context_.get(), fd);
  if (stream == nullptr) return nullptr;
  SSL* const ssl = stream->ssl_;
  // A number is compared with the numbers of the certificate; only names are told to the server.
  const bool is_number = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  ERR_clear_error();
  if (!is_number) {
    SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (host.empty() || SSL_set1_host(ssl, host.c_str()) != 1) return nullptr;
    if (SSL_set_tlsext_host_name(ssl, host.c_str()) != 1) return nullptr;
  }
  SSL_set_connect_state(ssl);
  return stream;
}

TlsStream::~TlsStream() { SSL_free(ssl_); }

bool TlsStream::has_shaken_hands() const { return SSL_is_init_finished(ssl_) == 1; }

bool TlsStream::has_read_ahead() const { return SSL_has_pending(ssl_) == 1; }

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
    default: break;
  }
  if (const long verdict = SSL_get_verify_result(ssl_); verdict != X509_V_OK) {
    complaint_ = std::string("the certificate does not hold: ") + X509_verify_cert_error_string(verdict);
  } else if (ERR_peek_error() != 0) {
    complaint_ = first_error();
  }
  ERR_clear_error();
  return {Transfer::kFailed, 0};
}

void TlsStream::finish() {
  ERR_clear_error();
  SSL_shutdown(ssl_);
  ERR_clear_error();
}

}  // namespace sluice::net
