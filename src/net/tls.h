// Encryption of connections by OpenSSL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>

struct ssl_st;
struct ssl_ctx_st;

namespace sluice::net {

struct TlsFiles {
  std::string certificate;  // PEM, with the chain behind it
  std::string key;          // PEM
};

// The certificate that new connections are shown. May be replaced while they run. Thread-safe.
class TlsIdentity {
 public:
  // The text says which file is wrong, and how. From then on the process ignores SIGPIPE.
  static std::variant<std::unique_ptr<TlsIdentity>, std::string> load(const TlsFiles& files);

  // Reads the files again. Empty, or what is wrong: then the last good ones stay.
  std::string reload();
  const TlsFiles& files() const { return files_; }

 private:
  friend class TlsStream;
  using Context = std::shared_ptr<ssl_ctx_st>;

  explicit TlsIdentity(TlsFiles files) : files_(std::move(files)) {}
  static std::variant<Context, std::string> make_context(const TlsFiles& files);
  Context context() const;

  const TlsFiles files_;
  mutable std::mutex mutex_;  // for context_
  Context context_;
};

// What a client needs to know whom to believe.
struct TlsTrust {
  std::string authorities;  // PEM, of those who may sign certificates; empty: those that the system trusts
  TlsFiles own;             // what the client shows of itself; both or none
};

// What the clients of a process share. Thread-safe.
class TlsClient {
 public:
  // The text says which file is wrong, and how. From then on the process ignores SIGPIPE.
  static std::variant<std::unique_ptr<TlsClient>, std::string> load(const TlsTrust& trust);

 private:
  friend class TlsStream;
  explicit TlsClient(std::shared_ptr<ssl_ctx_st> context) : context_(std::move(context)) {}

  const std::shared_ptr<ssl_ctx_st> context_;
};

enum class Transfer : uint8_t {
  kDone,       // `bytes` were moved
  kWantRead,   // when the socket is readable
  kWantWrite,  // when the socket is writable
  kEnd,        // the other end has finished
  kFailed,
};

struct Transferred {
  Transfer result = Transfer::kFailed;
  size_t bytes = 0;
};

// One end of an encrypted connection. Shakes hands by itself with the first read. One thread.
class TlsStream {
 public:
  // nullptr when there is no memory. The descriptor stays the caller's.
  static std::unique_ptr<TlsStream> accept(const TlsIdentity& identity, int fd);
  // The client's end: the certificate must be for this host, a name or a number.
  static std::unique_ptr<TlsStream> connect(const TlsClient& client, int fd, const std::string& host);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  bool has_shaken_hands() const;
  // Whether it has read what was not asked for yet, which no socket tells of.
  bool has_read_ahead() const;
  // Why a transfer failed, in OpenSSL's words; empty if it had none.
  const std::string& complaint() const { return complaint_; }
  Transferred read(char* to, size_t size);
  Transferred write(std::string_view bytes);
  // Says goodbye, if that is possible at once.
  void finish();

 private:
  explicit TlsStream(ssl_st* ssl) : ssl_(ssl) {}
  Transferred outcome(int result, size_t bytes);

  static std::unique_ptr<TlsStream> wrap(ssl_ctx_st* context, int fd);

  ssl_st* const ssl_;
  std::string complaint_;
};

}  // namespace sluice::net
