#include "rules/language/build_file.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rules/language/build_jwt.h"
#include "rules/language/build_policy.h"
#include "rules/language/check.h"
#include "rules/language/fields.h"
#include "rules/language/spelling.h"
#include "rules/language/table.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Node;

class TopLevelBuilder {
 public:
  TopLevelBuilder(const Fields& fields, const std::filesystem::path& folder, const Path& root, Faults& faults)
      : fields_(fields), folder_(folder), root_(root), faults_(faults) {}

  RuleSet build() {
    if (const Node* switches = fields_.value("kill_switches")) {
      rules_.kill_switches = build_kill_switches(*switches, Path(root_, "kill_switches"), faults_);
    }
    if (const Node* proxies = fields_.value("trusted_proxies")) build_proxies(*proxies);
    if (fields_.text("forwarded_header") == "forwarded") rules_.forwarded_header = ForwardedHeader::kForwarded;
    build_tokens();
    if (const Node* sets = fields_.value("headers")) build_headers(*sets);
    return std::move(rules_);
  }

 private:
  void build_proxies(const Node& list) {
    const Path path(root_, "trusted_proxies");
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (list.items[i].kind != Kind::kString) continue;
      auto network = parse_network(list.items[i].text);
      if (auto* problem = std::get_if<Problem>(&network)) {
        faults_.add(list.items[i].position, Path(path, i), *std::move(problem));
      } else if (std::find(rules_.trusted_proxies.begin(), rules_.trusted_proxies.end(), std::get<Network>(network)) !=
                 rules_.trusted_proxies.end()) {
        faults_.add(list.items[i].position, Path(path, i),
                    {quote(list.items[i].text) + " is in trusted_proxies twice", "leave one of them out"});
      } else {
        rules_.trusted_proxies.push_back(std::get<Network>(network));
      }
    }
  }

  void build_tokens() {
    const Node* jwt = fields_.value("jwt");
    if (jwt != nullptr) rules_.jwt = build_jwt(*jwt, folder_, Path(root_, "jwt"), faults_);
    if (!fields_.has("trust_upstream_jwt")) return;
    if (jwt != nullptr && jwt->find("trust_upstream_jwt") != nullptr) {
      faults_.add(fields_.member("trust_upstream_jwt")->position, Path(root_, "trust_upstream_jwt"),
                  {"trust_upstream_jwt is given here and in jwt", "leave one of them out"});
    }
    rules_.jwt.trust_upstream = fields_.boolean("trust_upstream_jwt", false);
  }

  void build_headers(const Node& list) {
    rules_.headers = {false, false, false};
    const Path path(root_, "headers");
    for (size_t i = 0; i < list.items.size(); ++i) {
      const std::string& name = list.items[i].text;
      bool& set = name == "ietf" ? rules_.headers.ietf : name == "legacy" ? rules_.headers.legacy : rules_.headers.x;
      if (set && (name == "ietf" || name == "legacy" || name == "x")) {
        faults_.add(list.items[i].position, Path(path, i),
                    {quote(name) + " is in headers twice", "leave one of them out"});
      }
      set = true;
    }
  }

  const Fields& fields_;
  const std::filesystem::path& folder_;
  const Path& root_;
  Faults& faults_;
  RuleSet rules_;
};

std::vector<Policy> policies_of_file(const Fields& fields, Faults& faults) {
  const Path root;
  if (fields.has("policies") && fields.has("rules")) {
    faults.add(fields.member("rules")->position, Path(root, "rules"),
               {"a file has policies or rules, but this has both", "put these rules into a policy"});
  }
  if (!fields.has("policies") && !fields.has("rules")) {
    faults.add(fields.node().position, root, {"policies is missing", "a file has policies, or just rules"});
  }
  std::vector<Policy> policies;
  if (const Node* list = fields.value("policies")) {
    const Path path(root, "policies");
    policies = build_policies(items_of(*list, path), faults);
  }
  if (const Node* list = fields.value("rules")) {
    const Path path(root, "rules");
    policies.push_back(build_default_policy(items_of(*list, path), faults));
  }
  return policies;
}

}  // namespace

RuleSet build_file(const Node& root, const std::filesystem::path& folder, Faults& faults) {
  if (root.kind == Kind::kNull) {
    faults.add(root.position, Path(), {"the file is empty", "a file has policies, or just rules"});
    return {};
  }
  check_object(root, kFileSpec, Path(), faults);
  if (root.kind != Kind::kObject) return {};
  const Fields fields(root, kFileSpec);
  std::vector<Policy> policies = policies_of_file(fields, faults);
  const Path path;
  RuleSet rules = TopLevelBuilder(fields, folder, path, faults).build();
  rules.policies = std::move(policies);
  return rules;
}

RuleSet build_top_level(const Node& root, const std::filesystem::path& folder, const Path& path, Faults& faults) {
  check_object(root, kFileSpec, path, faults);
  const Fields fields(root, kFileSpec);
  return TopLevelBuilder(fields, folder, path, faults).build();
}

}  // namespace sluice::rules::language
