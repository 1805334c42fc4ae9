#include "rules/language/build_condition.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "rules/language/check.h"
#include "rules/language/spelling.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;

enum class Operator : uint8_t { kEquals, kPrefix, kCidr };

bool is_scalar(const Node& node) { return node.kind != Kind::kList && node.kind != Kind::kObject; }

class ConditionBuilder {
 public:
  // Without a source, only what is wrong whatever the source is told.
  ConditionBuilder(std::optional<KeySource> source, const Path& path, Faults& faults)
      : source_(std::move(source)), path_(path), faults_(faults) {}

  std::optional<Condition> build(const Node& value) {
    if (source_) condition_.source = *source_;
    if (is_of_address() && *source_ != KeySource{}) {
      fail(value, path_,
           {"a condition is on the whole address, ip:address, but is on " + source_->text(),
            "write the networks as values: \"ip:address\": [\"10.0.0.0/24\"]"});
    }
    if (value.kind == Kind::kObject) {
      by_operator(value);
    } else {
      add_all(value, Operator::kEquals, path_);
    }
    return is_fine_ ? std::optional(std::move(condition_)) : std::nullopt;
  }

 private:
  void fail(const Node& node, const Path& path, Problem problem) {
    faults_.add(node.position, path, std::move(problem));
    is_fine_ = false;
  }

  bool is_of_address() const { return source_ && source_->kind == KeyKind::kIp; }

  void by_operator(const Node& object) {
    // What the checker cannot reach, since sources are no fields, is checked here.
    const size_t before = faults_.count();
    check_object(object, kConditionSpec, path_, faults_);
    if (faults_.count() > before) {
      is_fine_ = false;
    } else if (object.members.size() != 1) {
      fail(object, path_,
           {"a condition must have exactly one of equals, one_of, prefix and cidr, but has " +
                std::to_string(object.members.size()),
            ""});
    }
    for (const Member& member : object.members) {
      const FieldSpec* const field = kConditionSpec.find(member.name);
      if (field == nullptr || problem_of(member.value, *field)) continue;
      seen_.clear();
      add_operator(member, Path(path_, member.name));
    }
  }

  void add_operator(const Member& member, const Path& path) {
    if (member.name == "equals" && !is_scalar(member.value)) {
      fail(member.value, path, {"equals must be one value, but is " + found(member.value), "for several: one_of"});
    } else if (member.name == "one_of" && member.value.kind != Kind::kList) {
      fail(member.value, path, {"one_of must be a list, but is " + found(member.value), "for one value: equals"});
    } else {
      add_all(member.value,
              member.name == "prefix" ? Operator::kPrefix
              : member.name == "cidr" ? Operator::kCidr
                                      : Operator::kEquals,
              path);
    }
  }

  // A value, or a list of them.
  void add_all(const Node& value, Operator op, const Path& path) {
    if (value.kind != Kind::kList) {
      add(value, op, path);
      return;
    }
    if (value.items.empty()) {
      fail(value, path, {"a list of values must not be empty: nothing would ever match", "leave the condition out"});
    }
    for (size_t i = 0; i < value.items.size(); ++i) add(value.items[i], op, Path(path, i));
  }

  void add(const Node& value, Operator op, const Path& path) {
    if (!is_scalar(value) || value.kind == Kind::kNull) {
      fail(value, path, {"expected a string, a number or a boolean, but found " + found(value), ""});
      return;
    }
    const std::string text = value.kind == Kind::kBool ? (value.boolean ? "true" : "false") : value.text;
    if (is_of_address()) return add_network(value, text, op, path);
    if (op == Operator::kCidr) {
      if (source_) fail(value, path, {"cidr is only for ip:address, but this is " + source_->text(), ""});
      return;
    }
    const KeyKind kind = source_ ? source_->kind : KeyKind::kAttribute;
    auto spelt = op == Operator::kPrefix ? spell_prefix(kind, text) : spell_value(kind, text);
    if (const auto* problem = std::get_if<Problem>(&spelt)) {
      fail(value, path, *problem);
      return;
    }
    auto& list = op == Operator::kPrefix ? condition_.prefixes : condition_.values;
    remember(value, std::get<std::string>(spelt), path, list);
  }

  void add_network(const Node& value, const std::string& text, Operator op, const Path& path) {
    if (op == Operator::kPrefix) {
      fail(value, path, {"prefix is not for addresses", "write the network as a CIDR, such as 10.0.0.0/8"});
      return;
    }
    auto network = parse_network(text);
    if (const auto* problem = std::get_if<Problem>(&network)) {
      fail(value, path, *problem);
      return;
    }
    const auto& parsed = std::get<Network>(network);
    if (is_new(value, parsed.text(), path)) condition_.networks.push_back(parsed);
  }

  void remember(const Node& value, std::string text, const Path& path, std::vector<std::string>& list) {
    if (is_new(value, text, path)) list.push_back(std::move(text));
  }

  bool is_new(const Node& value, const std::string& text, const Path& path) {
    if (seen_.insert(text).second) return true;
    fail(value, path, {quote(text) + " is in this list twice", "leave one of them out"});
    return false;
  }

  const std::optional<KeySource> source_;
  const Path& path_;
  Faults& faults_;
  Condition condition_;
  std::set<std::string> seen_;
  bool is_fine_ = true;
};

}  // namespace

std::optional<Condition> build_condition(const KeySource& source, const Node& value, const Path& path, Faults& faults) {
  return ConditionBuilder(source, path, faults).build(value);
}

void check_values(const Node& value, const Path& path, Faults& faults) {
  ConditionBuilder(std::nullopt, path, faults).build(value);
}

std::vector<Condition> build_match(const Node& match, const Path& path, Faults& faults) {
  std::vector<Condition> conditions;
  std::map<std::string, const Member*> seen;
  for (const Member& member : match.members) {
    const Path here(path, member.name);
    const auto source = KeySource::parse(member.name);
    if (!source) {
      faults.add(member.position, here, {explain_bad_source(member.name), ""});
      check_values(member.value, here, faults);
      continue;
    }
    const auto [first, is_new] = seen.emplace(source->text(), &member);
    if (!is_new) {
      faults.add(member.position, here,
                 {quote(member.name) + " is given twice, the first time in line " +
                      std::to_string(first->second->position.line),
                  "for several values write a list"});
      continue;
    }
    if (auto condition = build_condition(*source, member.value, here, faults)) {
      conditions.push_back(*std::move(condition));
    }
  }
  return conditions;
}

}  // namespace sluice::rules::language
