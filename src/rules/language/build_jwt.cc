#include "rules/language/build_jwt.h"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "documents/read_file.h"
#include "rules/jwt/key.h"
#include "rules/language/fields.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Node;

constexpr size_t kLargestKeyFile = 64 << 10;
constexpr std::array<std::string_view, 4> kKeyFields = {"secret", "secret_file", "public_key", "public_key_file"};

class KeyBuilder {
 public:
  KeyBuilder(const Fields& fields, const std::filesystem::path& folder, const Path& path, Faults& faults)
      : fields_(fields), folder_(folder), path_(path), faults_(faults) {}

  std::optional<JwtKey> build() {
    const Node* algorithm = fields_.value("algorithm");
    const auto field = only_key_field();
    if (algorithm == nullptr || !field) return std::nullopt;
    JwtKey key;
    key.algorithm = algorithm->text == "HS256"   ? JwtAlgorithm::kHs256
                    : algorithm->text == "RS256" ? JwtAlgorithm::kRs256
                                                 : JwtAlgorithm::kEs256;
    key.id = fields_.text("id");
    const bool is_secret = key.algorithm == JwtAlgorithm::kHs256;
    if (is_secret != field->starts_with("secret")) {
      fail(*field,
           {std::string(*field) + " does not go with " + algorithm->text,
            is_secret ? "HS256 takes secret or secret_file" : "RS256 and ES256 take public_key or public_key_file"});
      return std::nullopt;
    }
    const Node* value = fields_.value(*field);
    if (value == nullptr || !fill(*field, *value, key)) return std::nullopt;
    if (const auto problem = jwt::check_key(key)) {
      fail(*field, {*problem, ""});
      return std::nullopt;
    }
    return key;
  }

 private:
  bool fail(std::string_view field, Problem problem) {
    faults_.add(fields_.position(field), Path(path_, field), std::move(problem));
    return false;
  }

  std::optional<std::string_view> only_key_field() {
    std::optional<std::string_view> only;
    for (const std::string_view name : kKeyFields) {
      if (!fields_.has(name)) continue;
      if (only) {
        fail(name, {"a key is given by one field, but has " + std::string(*only) + " too", "leave one of them out"});
        return std::nullopt;
      }
      only = name;
    }
    if (!only) {
      faults_.add(fields_.node().position, path_,
                  {"a key needs one of secret, secret_file, public_key and public_key_file", ""});
    }
    return only;
  }

  bool fill(std::string_view field, const Node& value, JwtKey& key) {
    if (!field.ends_with("_file")) {
      key.secret = value.text;
      return true;
    }
    auto content = documents::read_file(folder_ / value.text, kLargestKeyFile);
    if (auto* unreadable = std::get_if<documents::Unreadable>(&content)) {
      return fail(field, {std::string(field) + " " + quote(value.text) + " cannot be read: " + unreadable->why,
                          "paths are relative to the folder of this file"});
    }
    key.secret = std::get<std::string>(std::move(content));
    documents::drop_line_end(key.secret);
    return !key.secret.empty() || fail(field, {std::string(field) + " " + quote(value.text) + " is empty", ""});
  }

  const Fields& fields_;
  const std::filesystem::path& folder_;
  const Path& path_;
  Faults& faults_;
};

}  // namespace

JwtSettings build_jwt(const Node& node, const std::filesystem::path& folder, const Path& path, Faults& faults) {
  const Fields fields(node, kJwtSpec);
  JwtSettings settings;
  settings.trust_upstream = fields.boolean("trust_upstream_jwt", false);
  settings.leeway_seconds = static_cast<int64_t>(fields.number("leeway_seconds").value_or(0));
  settings.issuer = fields.text("issuer");
  settings.audience = fields.text("audience");
  const Node* keys = fields.value("keys");
  if (keys == nullptr) return settings;
  const Path keys_path(path, "keys");
  std::set<std::string> ids;
  for (size_t i = 0; i < keys->items.size(); ++i) {
    if (keys->items[i].kind != Kind::kObject) continue;
    const Path key_path(keys_path, i);
    const Fields key_fields(keys->items[i], kJwtKeySpec);
    auto key = KeyBuilder(key_fields, folder, key_path, faults).build();
    if (!key) continue;
    if (!key->id.empty() && !ids.insert(key->id).second) {
      faults.add(key_fields.position("id"), Path(key_path, "id"),
                 {"the key " + quote(key->id) + " is there twice", ""});
    }
    settings.keys.push_back(*std::move(key));
  }
  return settings;
}

}  // namespace sluice::rules::language
