#include <algorithm>
#include <variant>
#include <vector>

#include "rules/language/build_limit.h"
#include "rules/language/build_rule.h"
#include "rules/language/fields.h"
#include "rules/language/spelling.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Node;

constexpr size_t kLongestPattern = 128;
constexpr size_t kLongestPlan = 64;
constexpr std::string_view kEndpoint = "endpoint:";
constexpr const char* kPatternHint =
    "e.g. user:{user_id}, ip:{ip}, endpoint:/api/search, global, or several parts: tenant:{tenant}:user:{user_id}";

// What a pattern means.
struct Pattern {
  std::vector<KeySource> keys;
  std::vector<Condition> match;
  std::string_view scope;  // "user" for all that are neither of the others
};

bool is_visible(std::string_view text, size_t most, bool with_blanks) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [&](char c) {
    return c > (with_blanks ? 0x1f : ' ') && c < 0x7f && c != '"' && c != '\\';
  });
}

std::optional<KeySource> source_named(std::string_view name) {
  if (name == "ip" || name == "ip_address") return KeySource{};
  if (name == "path" || name == "endpoint") return KeySource{KeyKind::kPath, ""};
  if (name == "method") return KeySource{KeyKind::kMethod, ""};
  if (name == "host") return KeySource{KeyKind::kHost, ""};
  return KeySource::parse("attr:" + std::string(name));
}

std::variant<Pattern, Problem> endpoint_pattern(std::string_view text) {
  auto path = spell_path(text.substr(kEndpoint.size()));
  if (auto* problem = std::get_if<Problem>(&path)) return *problem;
  if (text.find_first_of("{}") != text.npos) {
    return Problem{"key_pattern of an endpoint is one path without {}, but is " + quote(text), kPatternHint};
  }
  const KeySource source{KeyKind::kPath, ""};
  return Pattern{{source}, {Condition{source, {std::get<std::string>(path)}, {}, {}}}, "endpoint"};
}

// Text with {names} in it: each name is a value that tells callers apart.
std::variant<Pattern, Problem> names_pattern(std::string_view text) {
  Pattern pattern;
  for (size_t at = text.find_first_of("{}"); at != text.npos; at = text.find_first_of("{}", at)) {
    const size_t end = text.find_first_of("{}", at + 1);
    if (text[at] == '}' || end == text.npos || text[end] == '{') {
      return Problem{"key_pattern has a bracket without its other half: " + quote(text), kPatternHint};
    }
    const auto source = source_named(text.substr(at + 1, end - at - 1));
    if (!source) return Problem{"key_pattern has {} without a name in it: " + quote(text), kPatternHint};
    if (std::find(pattern.keys.begin(), pattern.keys.end(), *source) != pattern.keys.end()) {
      return Problem{"key_pattern names " + source->text() + " twice: " + quote(text), ""};
    }
    pattern.keys.push_back(*source);
    at = end + 1;
  }
  if (pattern.keys.empty()) {
    return Problem{"key_pattern must have {a name}, or be endpoint:/a/path or global, but is " + quote(text),
                   kPatternHint};
  }
  const bool is_address = pattern.keys.size() == 1 && pattern.keys[0].kind == KeyKind::kIp;
  pattern.scope = is_address ? "ip" : "user";
  return pattern;
}

std::variant<Pattern, Problem> parse_pattern(std::string_view text) {
  if (!is_visible(text, kLongestPattern, false)) {
    return Problem{"key_pattern must be 1 to 128 visible ASCII characters other than \" and \\, but is " + quote(text),
                   kPatternHint};
  }
  if (text == "global") return Pattern{{}, {}, "global"};
  return text.substr(0, kEndpoint.size()) == kEndpoint ? endpoint_pattern(text) : names_pattern(text);
}

void add_plan(const Fields& fields, Rule& rule, const Path& path, Faults& faults) {
  const Node* plan = fields.value("plan");
  if (plan == nullptr) return;
  if (!is_visible(plan->text, kLongestPlan, true)) {
    faults.add(plan->position, Path(path, "plan"),
               {"plan must be 1 to 64 ASCII characters other than \" and \\, but is " + quote(plan->text),
                "for a row that is for all plans, leave plan out"});
  }
  rule.match.push_back(Condition{*KeySource::parse("attr:plan"), {plan->text}, {}, {}});
  rule.name += "@" + plan->text;
  // A plan's own row goes before the one for all.
  rule.priority = 1;
}

void check_scope(const Fields& fields, const Pattern& pattern, const Path& path, Faults& faults) {
  const std::string_view scope = fields.text("scope", pattern.scope);
  if (scope == pattern.scope) return;
  // With an address and something else in the key, both words are right.
  const bool has_address = std::find(pattern.keys.begin(), pattern.keys.end(), KeySource{}) != pattern.keys.end();
  if (scope == "ip" && has_address) return;
  faults.add(fields.position("scope"), Path(path, "scope"),
             {"scope must be " + std::string(pattern.scope) + " for the key_pattern " +
                  quote(fields.text("key_pattern")) + ", but is " + std::string(scope),
              "leave scope out: the pattern says it"});
}

}  // namespace

BuiltRule build_table_row(const Node& node, const Path& path, Faults& faults) {
  const Fields fields(node, kTableRowSpec);
  BuiltRule built;
  Rule& rule = built.rule;
  const Node* written = fields.value("key_pattern");
  bool has_keys = false;
  if (written != nullptr) {
    rule.name = written->text;
    auto parsed = parse_pattern(written->text);
    if (auto* problem = std::get_if<Problem>(&parsed)) {
      faults.add(written->position, Path(path, "key_pattern"), *std::move(problem));
    } else {
      auto& pattern = std::get<Pattern>(parsed);
      has_keys = true;
      check_scope(fields, pattern, path, faults);
      rule.limit_keys = std::move(pattern.keys);
      rule.match = std::move(pattern.match);
    }
  }
  const size_t before = faults.count();
  add_plan(fields, rule, path, faults);
  built.is_whole = has_keys && faults.count() == before && fields.are_clean({"plan", "is_active"});
  rule.description = fields.text("description");
  built.is_active = fields.boolean("is_active", true);
  const auto rate = fields.number("rate_per_second");
  const auto burst = fields.number("burst_capacity");
  if (rate && burst) {
    if (auto limit = bucket_limit(Algorithm::kTokenBucket, *rate, *burst)) rule.limits.push_back(*limit);
  }
  return built;
}

}  // namespace sluice::rules::language
