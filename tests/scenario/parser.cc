#include "scenario/parser.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "scenario/parse_expectation.h"
#include "scenario/parse_limit.h"

namespace sluice::scenario {
namespace {

using nlohmann::json;

constexpr int64_t kMostRepeats = 100'000;
constexpr int kLawsOfOneHome = 8;  // the ninth is kept by replaying the files everywhere

using Limits = std::map<std::string, Limit>;

std::string item(const std::string& list, size_t index) { return list + "[" + std::to_string(index) + "]"; }

const json& non_empty_list(Fields& fields, const std::string& name) {
  const json& list = fields.required(name);
  if (!list.is_array() || list.empty()) throw ScenarioError(fields.where(name), "must be a list that is not empty");
  return list;
}

// Names become parts of test names, of keys and of rules: a small alphabet keeps them whole everywhere.
bool is_name(const std::string& text) {
  const auto is_fine = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z' && std::all_of(text.begin(), text.end(), is_fine);
}

void require_name(const std::string& text, const std::string& where) {
  if (!is_name(text))
    throw ScenarioError(where, "'" + text + "' must be made of a-z, 0-9 and _, and start with a letter");
}

std::vector<int> parse_laws(Fields& fields) {
  std::vector<int> laws;
  for (const json& law : non_empty_list(fields, "laws")) {
    const bool is_law = law.is_number_unsigned() && law.get<uint64_t>() >= 1 && law.get<uint64_t>() <= kLawsOfOneHome;
    if (!is_law) throw ScenarioError(fields.where("laws"), "must be numbers of laws, 1 to 8");
    if (std::count(laws.begin(), laws.end(), law.get<int>()) > 0) {
      throw ScenarioError(fields.where("laws"), "names law " + std::to_string(law.get<int>()) + " twice");
    }
    laws.push_back(law.get<int>());
  }
  return laws;
}

Limits parse_limits(Fields& fields) {
  const json& definitions = fields.required("limits");
  const std::string where = fields.where("limits");
  if (!definitions.is_object() || definitions.empty()) throw ScenarioError(where, "must define at least one limit");
  Limits limits;
  for (const auto& [name, definition] : definitions.items()) {
    require_name(name, where);
    limits.emplace(name, parse_limit(definition, where + "." + name));
  }
  return limits;
}

// Reads the steps in order, since a change gives a limit's name another meaning for those that follow.
class StepParser {
 public:
  explicit StepParser(Limits limits) : limits_(std::move(limits)) {}

  Step parse(const json& object, const std::string& where) {
    Fields fields(object, where);
    Step step;
    step.at = Instant(fields.duration("at").ns);
    step.operation = parse_operation(fields);
    if (step.operation == Operation::kChange) {
      step.changed = parse_change(fields);
    } else {
      parse_request(fields, step);
      step.expect = parse_expectation(fields, step);
    }
    fields.refuse_the_rest();
    return step;
  }

 private:
  static Operation parse_operation(Fields& fields) {
    const std::string name = fields.text_or("op", "take");
    if (name == "take") return Operation::kTake;
    if (name == "peek") return Operation::kPeek;
    if (name == "refund") return Operation::kRefund;
    if (name == "change") return Operation::kChange;
    throw ScenarioError(fields.where("op"), "'" + name + "' is none of take, peek, refund, change");
  }

  NamedLimit parse_change(Fields& fields) {
    const std::string name = limit_name(fields);
    Limit& limit = limits_.at(name);
    const Limit changed = parse_limit(fields.required("to"), fields.where("to"));
    if (changed.algorithm() != limit.algorithm()) {
      throw ScenarioError(fields.where("to"), "must keep the algorithm: another one is another limit");
    }
    if (changed == limit) throw ScenarioError(fields.where("to"), "changes nothing");
    limit = changed;
    return {name, changed};
  }

  void parse_request(Fields& fields, Step& step) {
    const Tokens cost = parse_cost(fields, kOneToken);
    if (fields.has("limits")) {
      parse_takes(fields, cost, step);
    } else {
      step.takes.push_back(make_take(limit_name(fields), fields.text_or("key", "k"), cost));
    }
    if (step.operation == Operation::kRefund) return;
    if (fields.has("repeat")) step.repeat = fields.integer("repeat", 2, kMostRepeats);
    if (!fields.has("every")) return;
    if (step.repeat == 1) throw ScenarioError(fields.where("every"), "needs \"repeat\"");
    step.every = fields.duration("every");
    if (step.every.ns > kForever.ns / step.repeat ||
        (step.at + Duration(step.every.ns * step.repeat)).ns > kForever.ns) {
      throw ScenarioError(fields.where("every"), "goes on beyond the end of time");
    }
  }

  void parse_takes(Fields& fields, Tokens cost, Step& step) {
    const json& pairs = non_empty_list(fields, "limits");
    std::set<std::string> seen;
    for (size_t i = 0; i < pairs.size(); ++i) {
      Fields pair(pairs[i], item(fields.where("limits"), i));
      const std::string name = limit_name(pair);
      if (!seen.insert(name).second) {
        throw ScenarioError(pair.where(), "'" + name + "' stands twice in one request; define a second limit for it");
      }
      step.takes.push_back(make_take(name, pair.text_or("key", "k"), parse_cost(pair, cost)));
      pair.refuse_the_rest();
    }
  }

  Take make_take(const std::string& name, const std::string& key, Tokens cost) {
    return {name, key, limits_.at(name), cost};
  }

  // A scenario with a single limit need not name it.
  std::string limit_name(Fields& fields) {
    const bool may_be_omitted = limits_.size() == 1;
    if (!fields.has("limit") && may_be_omitted) return limits_.begin()->first;
    const std::string name = fields.text("limit");
    if (!limits_.contains(name)) throw ScenarioError(fields.where("limit"), "'" + name + "' is not defined in limits");
    return name;
  }

  static Tokens parse_cost(Fields& fields, Tokens otherwise) {
    return fields.has("cost") ? value_or_throw(cost_of(fields.number("cost")), fields.where("cost")) : otherwise;
  }

  Limits limits_;
};

}  // namespace

Scenario parse_scenario(const std::string& text, const std::string& file) {
  const json document = parse_strictly(text, file);
  Fields fields(document, file);
  Scenario scenario;
  scenario.name = fields.text("name");
  require_name(scenario.name, fields.where("name"));
  scenario.why = fields.text("why");
  scenario.laws = parse_laws(fields);
  const Limits limits = parse_limits(fields);
  for (const auto& [name, limit] : limits) scenario.limits.push_back({name, limit});
  StepParser parser(limits);
  const json& steps = non_empty_list(fields, "steps");
  // Counted from 1 here and in mismatches, so that both speak of the same step.
  for (size_t i = 0; i < steps.size(); ++i) {
    scenario.steps.push_back(parser.parse(steps[i], file + ": step " + std::to_string(i + 1)));
  }
  fields.refuse_the_rest();
  return scenario;
}

Scenario load_scenario(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ScenarioError(path, "cannot be read");
  return parse_scenario(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

}  // namespace sluice::scenario
