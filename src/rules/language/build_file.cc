#include "rules/language/build_file.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

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

class FileBuilder {
 public:
  FileBuilder(const Fields& fields, const std::filesystem::path& folder, Faults& faults)
      : fields_(fields), folder_(folder), faults_(faults) {}

  RuleSet build() {
    build_policies();
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
  void build_policies() {
    if (fields_.has("policies") && fields_.has("rules")) {
      faults_.add(fields_.member("rules")->position, Path(root_, "rules"),
                  {"a file has policies or rules, but this has both", "put these rules into a policy"});
    }
    if (!fields_.has("policies") && !fields_.has("rules")) {
      faults_.add(fields_.node().position, root_, {"policies is missing", "a file has policies, or just rules"});
    }
    if (const Node* list = fields_.value("policies")) build_list(*list);
    if (const Node* list = fields_.value("rules")) {
      rules_.policies.push_back(build_default_policy(*list, Path(root_, "rules"), faults_));
    }
  }

  void build_list(const Node& list) {
    const Path path(root_, "policies");
    std::map<std::string, int> lines;
    for (size_t i = 0; i < list.items.size(); ++i) {
      const Node& node = list.items[i];
      if (node.kind != Kind::kObject) continue;
      const Path item(path, i);
      Policy policy = build_policy(node, item, faults_);
      const auto [first, is_new] = lines.emplace(policy.id, node.position.line);
      if (!is_new && !policy.id.empty()) {
        faults_.add(node.position, item,
                    {"the policy " + quote(policy.id) + " is there twice, the first time in line " +
                         std::to_string(first->second),
                     "a policy's id is unique"});
      }
      rules_.policies.push_back(std::move(policy));
    }
  }

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
  Faults& faults_;
  const Path root_;
  RuleSet rules_;
};

}  // namespace

RuleSet build_file(const Node& root, const std::filesystem::path& folder, Faults& faults) {
  if (root.kind == Kind::kNull) {
    faults.add(root.position, Path(), {"the file is empty", "a file has policies, or just rules"});
    return {};
  }
  check_object(root, kFileSpec, Path(), faults);
  if (root.kind != Kind::kObject) return {};
  const Fields fields(root, kFileSpec);
  return FileBuilder(fields, folder, faults).build();
}

}  // namespace sluice::rules::language
