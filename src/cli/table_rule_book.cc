#include "cli/table_rule_book.h"

#include <utility>
#include <vector>

#include "cli/command.h"
#include "documents/json_writer.h"
#include "documents/read_file.h"
#include "rules/table/row_json.h"
#include "rules/table/rules_file.h"

namespace sluice::cli {
namespace {

using Json = RuleBook::Json;

Json as_json(const rules::Row& row) { return Json::parse(documents::write_json(rules::row_json(row))); }

Failure failure_of(const sql::Fault& fault) {
  const bool is_ours = fault.trouble == sql::Trouble::kDuplicate || fault.trouble == sql::Trouble::kRefused;
  return {"sluice rules: " + fault.message, fault.hint, is_ours ? kBadUsage : kFailed};
}

Failure failure_of(const std::vector<rules::Fault>& faults) {
  std::string text;
  for (const rules::Fault& fault : faults) text += describe(fault) + "\n";
  return {text + "sluice rules: nothing was changed", "", kBadUsage};
}

// What became of an edit, for whoever typed it.
struct Telling {
  RuleBook::Answer operator()(const rules::Edited& edited) const { return edited.row ? as_json(*edited.row) : Json(); }
  RuleBook::Answer operator()(const rules::Faulty& faulty) const { return failure_of(faulty.faults); }
  RuleBook::Answer operator()(const rules::Conflict&) const {
    return Failure{"sluice rules: somebody else has changed this rule meanwhile; nothing was changed",
                   "look at it again, then repeat the command", kFailed};
  }
  RuleBook::Answer operator()(const rules::Taken& taken) const {
    return Failure{"sluice rules: rule " + std::to_string(taken.row.id) + " has this pattern and plan already",
                   "'sluice rules set " + std::to_string(taken.row.id) + "' changes it", kBadUsage};
  }
  RuleBook::Answer operator()(const rules::NotThere&) const {
    return Failure{"sluice rules: the rule is not there any more", "", kFailed};
  }
  RuleBook::Answer operator()(const sql::Fault& fault) const { return failure_of(fault); }
};

RuleBook::Answer told(const rules::EditResult& result) { return std::visit(Telling(), result); }

Json parsed_or_text(const std::optional<std::string>& text) {
  if (!text) return nullptr;
  Json json = Json::parse(*text, nullptr, false);
  return json.is_discarded() ? Json(*text) : json;
}

Json as_json(const rules::Change& change) {
  constexpr const char* kKinds[] = {"created", "changed", "removed"};
  Json json = {{"change_id", change.number},
               {"kind", kKinds[static_cast<size_t>(change.kind)]},
               {"rule_id", change.rule_id == 0 ? Json() : Json(change.rule_id)},
               {"subject", change.subject},
               {"changed_at", change.at},
               {"changed_by", change.who}};
  if (change.role && *change.role != change.who) json["session_role"] = *change.role;
  json["before"] = parsed_or_text(change.before);
  json["after"] = parsed_or_text(change.after);
  return json;
}

}  // namespace

TableRuleBook::TableRuleBook(std::unique_ptr<rules::RuleTable> table, rules::TableName name, std::string who)
    : table_(std::move(table)), name_(std::move(name)), who_(std::move(who)), editor_(*table_, name_, who_) {}

RuleBook::Answer TableRuleBook::list() {
  const auto snapshot = table_->snapshot();
  if (!snapshot) return failure_of(snapshot.fault());
  Json all = Json::array();
  for (const rules::Row& row : snapshot->rows) all.push_back(as_json(row));
  return all;
}

RuleBook::Answer TableRuleBook::create(const std::string& rule) { return told(editor_.create(rule)); }

RuleBook::Answer TableRuleBook::change(int64_t id, int64_t version, const std::string& fields) {
  return told(editor_.patch(id, fields, version));
}

std::optional<Failure> TableRuleBook::remove(int64_t id, int64_t version) {
  const Answer answer = told(editor_.remove(id, version));
  if (const auto* failure = std::get_if<Failure>(&answer)) return *failure;
  return std::nullopt;
}

RuleBook::Answer TableRuleBook::history(std::optional<int64_t> id, size_t most) {
  const auto changes = table_->changes({id, {}, most});
  if (!changes) return failure_of(changes.fault());
  Json all = Json::array();
  for (const rules::Change& change : *changes) all.push_back(as_json(change));
  return all;
}

RuleBook::Text TableRuleBook::read_file() {
  const auto snapshot = table_->snapshot();
  if (!snapshot) return failure_of(snapshot.fault());
  const auto text = rules::export_file(*snapshot, name_);
  if (const auto* faults = std::get_if<std::vector<rules::Fault>>(&text)) return failure_of(*faults);
  return std::get<std::string>(text);
}

RuleBook::Answer TableRuleBook::write_file(const std::string& text, const std::string& name, bool replaces) {
  const auto rows = rules::rows_of_file(text, name, documents::guess_format(name, text));
  if (const auto* faults = std::get_if<std::vector<rules::Fault>>(&rows)) return failure_of(*faults);
  const auto mode = replaces ? rules::ImportMode::kReplace : rules::ImportMode::kMerge;
  const auto done = rules::import_file(*table_, name_, who_, std::get<rules::FileRows>(rows), mode);
  if (const auto* faulty = std::get_if<rules::Faulty>(&done)) return failure_of(faulty->faults);
  if (const auto* fault = std::get_if<sql::Fault>(&done)) return failure_of(*fault);
  const auto& counts = std::get<rules::Imported>(done);
  return Json{{"added", counts.added},
              {"changed", counts.changed},
              {"removed", counts.removed},
              {"unchanged", counts.unchanged}};
}

}  // namespace sluice::cli
