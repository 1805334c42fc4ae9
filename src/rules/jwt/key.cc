#include "rules/jwt/key.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>

#include <cstdint>
#include <utility>

namespace sluice::rules::jwt {
namespace {

constexpr size_t kHashBytes = 32;        // of SHA-256; RFC 7518 wants secrets at least as long
constexpr size_t kCoordinateBytes = 32;  // of P-256
constexpr int kFewestRsaBits = 2048;
constexpr int kMostRsaBits = 8192;  // longer ones take longer than a request should
constexpr std::string_view kBegin = "-----BEGIN ";

const uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

// OpenSSL leaves its complaints with the thread; nobody else should find ours.
struct ErrorsCleared {
  ErrorsCleared() = default;
  ErrorsCleared(const ErrorsCleared&) = delete;
  ErrorsCleared& operator=(const ErrorsCleared&) = delete;
  ~ErrorsCleared() { ERR_clear_error(); }
};

template <auto free_it>
struct FreeWith {
  template <class T>
  void operator()(T* what) const {
    free_it(what);
  }
};
using Bio = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using Mac = std::unique_ptr<EVP_MAC, FreeWith<EVP_MAC_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>>;
using EcSignature = std::unique_ptr<ECDSA_SIG, FreeWith<ECDSA_SIG_free>>;

// Without it OpenSSL would ask at the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

// What people put in by mistake, and what to do about it.
std::optional<std::string> wrong_kind_of_pem(std::string_view pem) {
  const size_t begin = pem.find(kBegin);
  if (begin == std::string_view::npos)
    return "it is not a public key in PEM: there is no line -----BEGIN PUBLIC KEY-----";
  if (pem.find("PRIVATE KEY-----") != std::string_view::npos) {
    return "it is a private key; give the public one: openssl pkey -in KEY -pubout";
  }
  if (pem.substr(begin + kBegin.size()).starts_with("CERTIFICATE-----")) {
    return "it is a certificate; give its public key: openssl x509 -in CERTIFICATE -noout -pubkey";
  }
  if (pem.substr(begin + kBegin.size()).starts_with("RSA PUBLIC KEY-----")) {
    return "it is in the form of PKCS #1; convert it: openssl rsa -RSAPublicKey_in -in KEY -pubout";
  }
  if (pem.find(kBegin, begin + 1) != std::string_view::npos)
    return "it holds more than one key; give each its own entry";
  return std::nullopt;
}

std::optional<std::string> wrong_for_rs256(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") != 1) return "RS256 needs an RSA key, and this is of another kind";
  const int bits = EVP_PKEY_get_bits(key);
  if (bits >= kFewestRsaBits && bits <= kMostRsaBits) return std::nullopt;
  return "an RSA key must have from 2048 to 8192 bits, and this has " + std::to_string(bits);
}

std::optional<std::string> wrong_for_es256(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "EC") != 1) return "ES256 needs an elliptic curve key, and this is of another kind";
  char curve[64] = "";
  size_t length = 0;
  const bool is_known = EVP_PKEY_get_group_name(key, curve, sizeof(curve), &length) == 1;
  if (is_known && std::string_view(curve) == "prime256v1") return std::nullopt;
  return "ES256 needs the curve P-256 (prime256v1), and this is " + (is_known ? std::string(curve) : "another");
}

// From r || s as JWS has it to the DER that OpenSSL reads. Empty if it has not the length.
std::string der_of(std::string_view signature) {
  if (signature.size() != 2 * kCoordinateBytes) return "";
  const EcSignature pair(ECDSA_SIG_new());
  BIGNUM* const r = BN_bin2bn(bytes_of(signature), kCoordinateBytes, nullptr);
  BIGNUM* const s = BN_bin2bn(bytes_of(signature) + kCoordinateBytes, kCoordinateBytes, nullptr);
  if (!pair || ECDSA_SIG_set0(pair.get(), r, s) != 1) {
    BN_free(r);
    BN_free(s);
    return "";
  }
  uint8_t der[80];
  uint8_t* end = der;
  const int length = i2d_ECDSA_SIG(pair.get(), &end);
  return length > 0 ? std::string(reinterpret_cast<char*>(der), static_cast<size_t>(length)) : "";
}

}  // namespace

void Freeing::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
void Freeing::operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
void Freeing::operator()(EVP_MD* digest) const { EVP_MD_free(digest); }

std::string_view name_of(JwtAlgorithm algorithm) {
  switch (algorithm) {
    case JwtAlgorithm::kHs256: return "HS256";
    case JwtAlgorithm::kRs256: return "RS256";
    case JwtAlgorithm::kEs256: return "ES256";
  }
  return "";
}

std::variant<Key, std::string> Key::parse(const JwtKey& key) {
  const ErrorsCleared cleared;
  Key parsed(key);
  const bool is_secret = key.algorithm == JwtAlgorithm::kHs256;
  auto fault = is_secret ? parsed.take_secret(key.secret) : parsed.take_public_key(key.secret);
  if (fault) return std::move(*fault);
  return parsed;
}

std::optional<std::string> Key::take_secret(const std::string& secret) {
  if (secret.find("PUBLIC KEY-----") != std::string::npos || secret.find("CERTIFICATE-----") != std::string::npos) {
    return "the secret of HS256 is a public key: whoever knows that could sign tokens; use RS256 or ES256 with it";
  }
  if (secret.size() < kHashBytes) {
    return "the secret of HS256 must have at least 32 bytes (RFC 7518), and this has " + std::to_string(secret.size());
  }
  const Mac mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  mac_.reset(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM settings[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                 OSSL_PARAM_construct_end()};
  if (!mac_ || EVP_MAC_init(mac_.get(), bytes_of(secret), secret.size(), settings) != 1) {
    return "OpenSSL has no HMAC with SHA-256 here";
  }
  return std::nullopt;
}

std::optional<std::string> Key::take_public_key(const std::string& pem) {
  if (auto fault = wrong_kind_of_pem(pem)) return fault;
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  public_key_.reset(bio ? PEM_read_bio_PUBKEY(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
  if (!public_key_) return "it is not a public key in PEM that OpenSSL can read";
  sha256_.reset(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  if (!sha256_) return "OpenSSL has no SHA-256 here";
  return algorithm_ == JwtAlgorithm::kRs256 ? wrong_for_rs256(public_key_.get()) : wrong_for_es256(public_key_.get());
}

bool Key::fits(std::string_view signature, std::string_view bytes) const {
  return algorithm_ == JwtAlgorithm::kHs256 ? fits_secret(signature, bytes) : fits_public_key(signature, bytes);
}

bool Key::fits_secret(std::string_view signature, std::string_view bytes) const {
  const ErrorsCleared cleared;
  if (signature.size() != kHashBytes) return false;
  const std::unique_ptr<EVP_MAC_CTX, Freeing> mac(EVP_MAC_CTX_dup(mac_.get()));
  uint8_t expected[kHashBytes];
  size_t length = 0;
  return mac && EVP_MAC_update(mac.get(), bytes_of(bytes), bytes.size()) == 1 &&
         EVP_MAC_final(mac.get(), expected, &length, sizeof(expected)) == 1 && length == kHashBytes &&
         CRYPTO_memcmp(expected, signature.data(), kHashBytes) == 0;
}

bool Key::fits_public_key(std::string_view signature, std::string_view bytes) const {
  const ErrorsCleared cleared;
  std::string der;
  if (algorithm_ == JwtAlgorithm::kEs256) {
    der = der_of(signature);
    signature = der;
  } else if (signature.size() != static_cast<size_t>(EVP_PKEY_get_size(public_key_.get()))) {
    return false;
  }
  if (signature.empty()) return false;
  const DigestContext context(EVP_MD_CTX_new());
  return context && EVP_DigestVerifyInit(context.get(), nullptr, sha256_.get(), nullptr, public_key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

std::optional<std::string> check_key(const JwtKey& key) {
  auto parsed = Key::parse(key);
  if (auto* fault = std::get_if<std::string>(&parsed)) return std::move(*fault);
  return std::nullopt;
}

}  // namespace sluice::rules::jwt
