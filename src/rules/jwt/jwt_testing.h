// What the tests of this folder share: keys made on the spot, and tokens signed with them by OpenSSL's other half.
#pragma once

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/jwt/verifier.h"

namespace sluice::rules::jwt {

constexpr int64_t kNow = 1'800'000'000;

inline const uint8_t* raw(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

// Written for the tests alone, from the alphabet up, so that it shares nothing with what it tests.
inline std::string encode(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  for (size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
    unsigned digit = 0;
    for (size_t i = bit; i < bit + 6; ++i) {
      const bool is_set = i < bytes.size() * 8 && (static_cast<uint8_t>(bytes[i / 8]) >> (7 - i % 8) & 1) != 0;
      digit = digit * 2 + (is_set ? 1 : 0);
    }
    text += kDigits[digit];
  }
  return text;
}

struct FreePkey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Pkey = std::unique_ptr<EVP_PKEY, FreePkey>;

inline std::string public_pem(EVP_PKEY* key) {
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PUBKEY(bio, key);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(length));
  BIO_free(bio);
  return pem;
}

inline std::string private_pem(EVP_PKEY* key) {
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(length));
  BIO_free(bio);
  return pem;
}

inline std::string hmac_sha256(std::string_view secret, std::string_view bytes) {
  uint8_t mac[32];
  unsigned length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), raw(bytes), bytes.size(), mac, &length);
  return {reinterpret_cast<char*>(mac), length};
}

// RSA: the signature as a token has it. EC: in DER.
inline std::string sign(EVP_PKEY* key, std::string_view bytes) {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  size_t length = 1024;
  std::string signature(length, '\0');
  EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key);
  EVP_DigestSign(context, reinterpret_cast<uint8_t*>(signature.data()), &length, raw(bytes), bytes.size());
  EVP_MD_CTX_free(context);
  signature.resize(length);
  return signature;
}

inline std::string r_and_s(std::string_view der) {
  const uint8_t* at = raw(der);
  ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  std::string both(64, '\0');
  BN_bn2binpad(ECDSA_SIG_get0_r(pair), reinterpret_cast<uint8_t*>(both.data()), 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(pair), reinterpret_cast<uint8_t*>(both.data()) + 32, 32);
  ECDSA_SIG_free(pair);
  return both;
}

// Whoever issues tokens: the private half, and the key that rules are given.
struct Issuer {
  JwtKey key;
  Pkey pkey;

  static Issuer hs256(std::string id = "", std::string secret = "a secret of at least 32 bytes, as RFC 7518 has it") {
    return {{JwtAlgorithm::kHs256, std::move(id), std::move(secret)}, nullptr};
  }
  static Issuer rs256(std::string id = "", unsigned bits = 2048) {
    Pkey pkey(EVP_RSA_gen(bits));
    return {{JwtAlgorithm::kRs256, std::move(id), public_pem(pkey.get())}, std::move(pkey)};
  }
  static Issuer es256(std::string id = "", const char* curve = "P-256") {
    Pkey pkey(EVP_EC_gen(curve));
    return {{JwtAlgorithm::kEs256, std::move(id), public_pem(pkey.get())}, std::move(pkey)};
  }

  std::string signature_of(std::string_view bytes) const {
    if (key.algorithm == JwtAlgorithm::kHs256) return hmac_sha256(key.secret, bytes);
    const std::string signature = sign(pkey.get(), bytes);
    return key.algorithm == JwtAlgorithm::kEs256 ? r_and_s(signature) : signature;
  }
  std::string header() const {
    const std::string kid = key.id.empty() ? "" : R"(,"kid":")" + key.id + R"(")";
    return R"({"alg":")" + std::string(name_of(key.algorithm)) + R"(","typ":"JWT")" + kid + "}";
  }
  std::string token(std::string_view payload) const { return token(payload, header()); }
  std::string token(std::string_view payload, std::string_view with_header) const {
    const std::string signed_part = encode(with_header) + "." + encode(payload);
    return signed_part + "." + encode(signature_of(signed_part));
  }
};

// The same three for all tests of a run: RSA keys take their time.
inline const std::vector<Issuer>& issuers() {
  static const std::vector<Issuer> all = [] {
    std::vector<Issuer> made;
    made.push_back(Issuer::hs256());
    made.push_back(Issuer::rs256());
    made.push_back(Issuer::es256());
    return made;
  }();
  return all;
}
inline const Issuer& hs256() { return issuers()[0]; }
inline const Issuer& rs256() { return issuers()[1]; }
inline const Issuer& es256() { return issuers()[2]; }

inline std::shared_ptr<const Verifier> verifier_of(const JwtSettings& settings) {
  auto made = Verifier::create(settings);
  auto* const verifier = std::get_if<std::shared_ptr<const Verifier>>(&made);
  return verifier != nullptr ? *verifier : nullptr;
}
inline std::shared_ptr<const Verifier> verifier_of(std::vector<JwtKey> keys) {
  JwtSettings settings;
  settings.keys = std::move(keys);
  return verifier_of(settings);
}

inline std::string claim(const Claims& claims, std::string_view name) {
  return std::string(claims.find(name).value_or("(none)"));
}

inline std::string pem_of_numbers(const char* kind, OSSL_PARAM* numbers) {
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_fromdata_init(context);
  EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, numbers);
  EVP_PKEY_CTX_free(context);
  const Pkey owned(key);
  return key != nullptr ? public_pem(key) : "";
}

}  // namespace sluice::rules::jwt
