#include "rules/language/build_rule.h"

#include <algorithm>
#include <utility>

#include "rules/language/build_condition.h"
#include "rules/language/build_limit.h"
#include "rules/language/fields.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Node;

constexpr size_t kLongestName = 64;
constexpr size_t kMostKeys = 16;

std::vector<KeySource> build_keys(const Node& list, const Path& path, Faults& faults) {
  std::vector<KeySource> keys;
  if (list.items.size() > kMostKeys) {
    faults.add(list.items[kMostKeys].position, path,
               {"limit_keys must have at most " + std::to_string(kMostKeys) + " entries, but has " +
                    std::to_string(list.items.size()),
                ""});
    return keys;
  }
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Node& item = list.items[i];
    const auto source = item.kind == documents::Kind::kString ? KeySource::parse(item.text) : std::nullopt;
    if (!source) continue;
    if (std::find(keys.begin(), keys.end(), *source) != keys.end()) {
      faults.add(item.position, Path(path, i), {quote(item.text) + " is in limit_keys twice", "leave one of them out"});
    }
    keys.push_back(*source);
  }
  return keys;
}

OnMissingKey on_missing_key(std::string_view text) {
  if (text == "skip") return OnMissingKey::kSkip;
  return text == "deny" ? OnMissingKey::kDeny : OnMissingKey::kShare;
}

OnStoreFailure on_store_failure(std::string_view text) {
  if (text == "deny") return OnStoreFailure::kDeny;
  return text == "local" ? OnStoreFailure::kLocal : OnStoreFailure::kAllow;
}

Lease build_lease(const Fields& fields) {
  const Node* const value = fields.value("lease");
  if (value == nullptr) return {};
  if (value->kind == documents::Kind::kString) {
    return {value->text == "auto" ? Lease::Kind::kAuto : Lease::Kind::kOff, {}, {}};
  }
  const Fields lease(*value, kLeaseSpec);
  const auto tokens = capacity_of(lease.number("tokens").value_or(0));
  if (!tokens) return {};
  const auto ttl_ms = static_cast<int64_t>(lease.number("ttl_ms").value_or(0));
  return {Lease::Kind::kFixed, *tokens, Duration::millis(ttl_ms)};
}

}  // namespace

std::optional<Problem> bad_name(std::string_view field, std::string_view name, std::string_view more) {
  const auto is_fine = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || more.find(c) != more.npos;
  };
  if (!name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), is_fine)) {
    return std::nullopt;
  }
  std::string characters = "A-Z a-z 0-9 . _ -";
  for (const char c : more) (characters += ' ') += c;
  return Problem{std::string(field) + " must be 1 to 64 of " + characters + ", but is " + quote(name), ""};
}

BuiltRule build_rule(const Node& node, const Path& path, Faults& faults) {
  const Fields fields(node, kRuleSpec);
  BuiltRule built;
  Rule& rule = built.rule;
  rule.name = fields.text("name");
  if (fields.value("name") != nullptr) {
    if (auto problem = bad_name("name", rule.name, ":/{}")) {
      faults.add(fields.position("name"), Path(path, "name"), *std::move(problem));
    }
  }
  rule.description = fields.text("description");
  built.is_active = fields.boolean("is_active", true);
  rule.mode = fields.text("mode") == "shadow" ? Mode::kShadow : Mode::kEnforce;
  rule.priority = static_cast<int32_t>(fields.number("priority").value_or(0));
  const size_t before = faults.count();
  const Node* keys = fields.value("limit_keys");
  if (keys != nullptr) rule.limit_keys = build_keys(*keys, Path(path, "limit_keys"), faults);
  const Node* match = fields.value("match");
  if (match != nullptr) rule.match = build_match(*match, Path(path, "match"), faults);
  const bool has_keys = keys != nullptr && keys->items.size() == rule.limit_keys.size();
  built.is_whole = faults.count() == before && has_keys && fields.are_clean({"match", "mode", "priority", "is_active"});
  rule.limits = build_limits(fields, path, faults);
  rule.cost = build_cost(fields, path, faults);
  rule.on_missing_key = on_missing_key(fields.text("on_missing_key"));
  rule.on_store_failure = on_store_failure(fields.text("on_store_failure"));
  rule.lease = build_lease(fields);
  return built;
}

}  // namespace sluice::rules::language
