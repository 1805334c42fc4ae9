#include "rules/jwt/payload.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "documents/json_reader.h"

namespace sluice::rules::jwt {
namespace {

using documents::Kind;
using documents::Node;

// Beyond this a time is as good as never: 292 million years.
constexpr double kFarthest = 9e15;

Refused refused(std::string detail) { return {Refusal::kPayload, std::move(detail)}; }

// Collects the plain values of a tree under dotted names.
class Flattening {
 public:
  // False if there are too many.
  bool add(const Node& object, const std::string& prefix, size_t depth) {
    for (const documents::Member& member : object.members) {
      const std::string name = prefix + member.name;
      if (member.value.kind == Kind::kObject) {
        if (!add(member.value, name + ".", depth + 1)) return false;
      } else if (member.value.kind != Kind::kNull && member.value.kind != Kind::kList) {
        if (found_.size() == kMostClaims) return false;
        found_.push_back({name, depth, found_.size(), &member.value});
      }
    }
    return true;
  }

  // Of equal names the least nested stays: {"a.b": 1, "a": {"b": 2}} has an `a.b` of its own.
  Claims claims() {
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.name, a.depth, a.order) < std::tie(b.name, b.depth, b.order);
    });
    Claims claims;
    claims.values.reserve(found_.size());
    for (Found& found : found_) {
      if (!claims.values.empty() && claims.values.back().first == found.name) continue;
      claims.values.emplace_back(std::move(found.name), found.value->text);
    }
    return claims;
  }

 private:
  struct Found {
    std::string name;
    size_t depth;
    size_t order;
    const Node* value;
  };
  std::vector<Found> found_;
};

// A time as a whole second: integers below a time are those below it rounded up.
bool read_time(const Node& payload, std::string_view name, int64_t& seconds) {
  const Node* const node = payload.find(name);
  if (node == nullptr) return true;
  if (node->kind != Kind::kNumber || !std::isfinite(node->number)) return false;
  seconds = static_cast<int64_t>(std::ceil(std::clamp(node->number, -kFarthest, kFarthest)));
  return true;
}

// What is no string names nobody.
std::vector<std::string> audience_of(const Node& payload) {
  std::vector<std::string> audience;
  const Node* const node = payload.find("aud");
  if (node == nullptr) return audience;
  if (node->kind == Kind::kString) audience.push_back(node->text);
  for (const Node& item : node->items) {
    if (item.kind == Kind::kString) audience.push_back(item.text);
  }
  return audience;
}

std::optional<std::string> issuer_of(const Node& payload) {
  const Node* const node = payload.find("iss");
  if (node == nullptr || node->kind != Kind::kString) return std::nullopt;
  return node->text;
}

}  // namespace

bool says_a_thing_twice(const Node& node) {
  std::vector<std::string_view> names;
  names.reserve(node.members.size());
  for (const documents::Member& member : node.members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return true;
  return std::any_of(node.members.begin(), node.members.end(),
                     [](const documents::Member& member) { return says_a_thing_twice(member.value); }) ||
         std::any_of(node.items.begin(), node.items.end(), says_a_thing_twice);
}

std::variant<Payload, Refused> read_payload(std::string_view json) {
  const auto parsed = documents::read_json(json, kTokenBounds);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return refused("its payload cannot be read: " + fault->message);
  }
  const Node& node = std::get<Node>(parsed);
  if (node.kind != Kind::kObject) return refused("its payload is not a JSON object");
  if (says_a_thing_twice(node)) return refused("its payload has a field twice");
  Payload payload;
  if (!read_time(node, "exp", payload.validity.until)) return refused("its `exp` is not a number of seconds");
  if (!read_time(node, "nbf", payload.validity.from)) return refused("its `nbf` is not a number of seconds");
  payload.issuer = issuer_of(node);
  payload.audience = audience_of(node);
  Flattening flattening;
  if (!flattening.add(node, "", 1)) return refused("it has more than " + std::to_string(kMostClaims) + " claims");
  payload.claims = flattening.claims();
  return payload;
}

}  // namespace sluice::rules::jwt
