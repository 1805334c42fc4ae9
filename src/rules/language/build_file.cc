#include "rules/language/build_file.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "rules/language/build_jwt.h"
#include "rules/language/build_policy.h"
#include "rules/language/check.h"
#include "rules/language/fields.h"
#include "rules/language/spelling.h"
#include "rules/language/table.h"
#include "rules/request.h"

namespace sluice::rules::language {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;

constexpr const char* kWhatAFileHas = "a file has policies, or just rules";

// What every file of a folder may give: lists that are joined, and words for people and editors. All else is said once.
constexpr std::array<std::string_view, 6> kOfEveryFile = {"policies",        "rules",       "kill_switches",
                                                          "trusted_proxies", "description", "$schema"};

// One file of the set, or the top level of a table.
struct Part {
  Part(const Node& node, std::filesystem::path its_folder, const Path& its_root)
      : fields(node, kFileSpec), folder(std::move(its_folder)), root(its_root) {}
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  Fields fields;
  std::filesystem::path folder;
  Path root;
  Path policies{root, "policies"};
  Path rules{root, "rules"};
};

// Paths point into it.
using Parts = std::deque<Part>;

class TopLevelBuilder {
 public:
  TopLevelBuilder(const Parts& parts, Faults& faults) : parts_(parts), faults_(faults) {}

  RuleSet build() {
    for (const FieldSpec& field : kFileSpec.fields) {
      const bool is_joined = std::find(kOfEveryFile.begin(), kOfEveryFile.end(), field.name) != kOfEveryFile.end();
      if (!is_joined) refuse_second(field.name);
    }
    for (const Part& part : parts_) {
      if (const Node* switches = part.fields.value("kill_switches")) add_switches(*switches, part);
      if (const Node* proxies = part.fields.value("trusted_proxies")) add_proxies(*proxies, part);
      if (part.fields.text("forwarded_header") == "forwarded") rules_.forwarded_header = ForwardedHeader::kForwarded;
      if (const Node* sets = part.fields.value("headers")) build_headers(*sets, part);
      if (const Node* jwt = part.fields.value("jwt")) {
        rules_.jwt = build_jwt(*jwt, part.folder, Path(part.root, "jwt"), faults_);
      }
    }
    for (const Part& part : parts_) build_trust(part);
    return std::move(rules_);
  }

 private:
  using Place = std::pair<documents::Position, const Path*>;

  void refuse_second(std::string_view name) {
    const Part* first = nullptr;
    for (const Part& part : parts_) {
      const Member* member = part.fields.member(name);
      if (member == nullptr) continue;
      if (first == nullptr) {
        first = &part;
        continue;
      }
      faults_.add(member->position, Path(part.root, name),
                  {quote(name) + " is given twice, the first time " +
                       place_of(first->fields.member(name)->position, first->root, part.root),
                   "of the files of a folder, one may give it"});
    }
  }

  void add_switches(const Node& list, const Part& part) {
    for (KillSwitch& one : build_kill_switches(list, Path(part.root, "kill_switches"), faults_)) {
      rules_.kill_switches.push_back(std::move(one));
    }
  }

  void add_proxies(const Node& list, const Part& part) {
    const Path path(part.root, "trusted_proxies");
    for (size_t i = 0; i < list.items.size(); ++i) {
      const Node& item = list.items[i];
      if (item.kind != Kind::kString) continue;
      const Place* const first =
          item.text == kUnixPeer ? trust_unix({item.position, &part.root}) : add_network(item, Path(path, i), part);
      if (first == nullptr) continue;
      const auto& [position, root] = *first;
      faults_.add(
          item.position, Path(path, i),
          {quote(item.text) + " is in trusted_proxies twice, the first time " + place_of(position, *root, part.root),
           "leave one of them out"});
    }
  }

  // Where it stands already; nullptr: nowhere, or it is none.
  const Place* add_network(const Node& item, const Path& path, const Part& part) {
    auto network = parse_network(item.text);
    if (auto* problem = std::get_if<Problem>(&network)) {
      faults_.add(item.position, path, *std::move(problem));
      return nullptr;
    }
    auto& known = rules_.trusted_proxies;
    const auto first = std::find(known.begin(), known.end(), std::get<Network>(network));
    if (first != known.end()) return &proxies_[static_cast<size_t>(first - known.begin())];
    known.push_back(std::get<Network>(network));
    proxies_.push_back({item.position, &part.root});
    return nullptr;
  }

  const Place* trust_unix(const Place& place) {
    if (rules_.trusts_unix) return &unix_;
    rules_.trusts_unix = true;
    unix_ = place;
    return nullptr;
  }

  void build_headers(const Node& list, const Part& part) {
    rules_.headers = {false, false, false};
    const Path path(part.root, "headers");
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

  // After `jwt` of every file, of which it is one field.
  void build_trust(const Part& part) {
    const Member* member = part.fields.member("trust_upstream_jwt");
    if (member == nullptr) return;
    for (const Part& other : parts_) {
      const Node* jwt = other.fields.value("jwt");
      const Node* inner = jwt == nullptr ? nullptr : jwt->find("trust_upstream_jwt");
      if (inner == nullptr) continue;
      faults_.add(member->position, Path(part.root, "trust_upstream_jwt"),
                  {"trust_upstream_jwt is given here and in jwt, " + place_of(inner->position, other.root, part.root),
                   "leave one of them out"});
    }
    rules_.jwt.trust_upstream = part.fields.boolean("trust_upstream_jwt", false);
  }

  const Parts& parts_;
  Faults& faults_;
  RuleSet rules_;
  std::vector<Place> proxies_;  // where each of the trusted networks stands
  Place unix_{};
};

std::vector<Written> all_of(const Parts& parts, std::string_view field, Path Part::*path) {
  std::vector<Written> all;
  for (const Part& part : parts) {
    const Node* list = part.fields.value(field);
    if (list == nullptr) continue;
    for (Written& item : items_of(*list, part.*path)) all.push_back(std::move(item));
  }
  return all;
}

bool has_rules(const Part& part) { return part.fields.has("policies") || part.fields.has("rules"); }

void refuse_both(const Parts& parts, Faults& faults) {
  for (const Part& part : parts) {
    if (!part.fields.has("policies") || !part.fields.has("rules")) continue;
    faults.add(part.fields.member("rules")->position, part.rules,
               {"a file has policies or rules, but this has both", "put these rules into a policy"});
  }
}

// Those documents that are objects; the others are faults.
Parts parts_of(std::span<const Document> documents, Faults& faults) {
  Parts parts;
  for (const Document& document : documents) {
    const Path root = Path::of_file(document.name);
    if (document.root.kind == Kind::kNull) {
      faults.add(document.root.position, root, {"the file is empty", kWhatAFileHas});
      continue;
    }
    check_object(document.root, kFileSpec, root, faults);
    if (document.root.kind != Kind::kObject) continue;
    parts.emplace_back(document.root, std::filesystem::path(document.name).parent_path(), root);
  }
  return parts;
}

}  // namespace

RuleSet build_files(std::span<const Document> documents, Faults& faults) {
  const bool were_all_read = faults.empty();
  const Parts parts = parts_of(documents, faults);
  refuse_both(parts, faults);
  // A file that could not be read may be the one that has them.
  const bool are_all_here = were_all_read && !parts.empty() && parts.size() == documents.size();
  if (are_all_here && std::none_of(parts.begin(), parts.end(), has_rules)) {
    faults.add(parts.front().fields.node().position, parts.front().root,
               {"policies is missing",
                parts.size() == 1 ? kWhatAFileHas : "some file of the folder has policies, or just rules"});
  }
  RuleSet rules = TopLevelBuilder(parts, faults).build();
  rules.policies =
      build_policies(all_of(parts, "rules", &Part::rules), all_of(parts, "policies", &Part::policies), faults);
  return rules;
}

RuleSet build_top_level(const Node& root, const std::filesystem::path& folder, const Path& path, Faults& faults) {
  check_object(root, kFileSpec, path, faults);
  Parts parts;
  parts.emplace_back(root, folder, path);
  return TopLevelBuilder(parts, faults).build();
}

}  // namespace sluice::rules::language
