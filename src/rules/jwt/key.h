// A key that signatures are checked with, parsed once. Immutable: any number of threads may use it at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/model.h"

// OpenSSL's own names, so that who includes this needs no header of it.
extern "C" {
typedef struct evp_pkey_st EVP_PKEY;        // NOLINT: as OpenSSL spells it.
typedef struct evp_mac_ctx_st EVP_MAC_CTX;  // NOLINT
typedef struct evp_md_st EVP_MD;            // NOLINT
}

namespace sluice::rules::jwt {

struct Freeing {
  void operator()(EVP_PKEY* key) const;
  void operator()(EVP_MAC_CTX* context) const;
  void operator()(EVP_MD* digest) const;
};

// As `alg` spells it.
std::string_view name_of(JwtAlgorithm algorithm);

class Key {
 public:
  // Or what is wrong with it, for people.
  static std::variant<Key, std::string> parse(const JwtKey& key);

  JwtAlgorithm algorithm() const { return algorithm_; }
  const std::string& id() const { return id_; }

  // Whether this signature, in bytes as a token carries it, is of these bytes by the owner of this key.
  bool fits(std::string_view signature, std::string_view bytes) const;

 private:
  explicit Key(const JwtKey& key) : algorithm_(key.algorithm), id_(key.id) {}

  std::optional<std::string> take_secret(const std::string& secret);
  std::optional<std::string> take_public_key(const std::string& pem);
  bool fits_secret(std::string_view signature, std::string_view bytes) const;
  bool fits_public_key(std::string_view signature, std::string_view bytes) const;

  JwtAlgorithm algorithm_;
  std::string id_;
  std::unique_ptr<EVP_MAC_CTX, Freeing> mac_;  // HS256: ready to take bytes; copied for each check
  std::unique_ptr<EVP_PKEY, Freeing> public_key_;
  std::unique_ptr<EVP_MD, Freeing> sha256_;
};

// What is wrong with a key of a rules file, if anything: for whoever loads it.
std::optional<std::string> check_key(const JwtKey& key);

}  // namespace sluice::rules::jwt
