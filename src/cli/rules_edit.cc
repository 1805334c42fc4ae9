#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "cli/input.h"
#include "cli/rule_book.h"
#include "cli/rules_commands.h"
#include "cli/rules_report.h"
#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "rules/table/row_tree.h"

namespace sluice::cli {
namespace {

using Json = RuleBook::Json;
using documents::Node;

// What one command does with the rules once they are there.
template <class Do>
int with_book(const Place& place, Do&& act, BookFor use = BookFor::kOther) {
  auto opened = open_book(place, use);
  if (const auto* failure = std::get_if<Failure>(&opened)) return fail(*failure);
  return act(*std::get<std::unique_ptr<RuleBook>>(opened));
}

// The fields of a rule as options give them; those that are not given are not touched.
struct RuleFlags {
  Place place;
  std::string which;  // a pattern to add; a rule that is there
  std::optional<double> rate;
  std::optional<double> burst;
  std::optional<std::string> plan;
  std::optional<std::string> description;
  bool is_active = false;
  bool is_inactive = false;
  std::string file;
  bool json = false;
};

void add_fields(CLI::App& app, RuleFlags& flags) {
  app.add_option("--rate", flags.rate, "Tokens that come back per second")->type_name("R");
  app.add_option("--burst", flags.burst, "Tokens a full bucket holds")->type_name("B");
  app.add_option("--plan", flags.plan, "Only for callers of this plan")->type_name("PLAN");
  app.add_option("--description", flags.description, "For people")->type_name("TEXT");
  app.add_flag("--inactive", flags.is_inactive, "Keep it, but do not apply it");
  app.add_option("--file", flags.file, "Its fields as JSON, - for stdin: for rules and policies of the whole language")
      ->type_name("FILE");
  app.add_flag("--json", flags.json, "Print the rule as JSON");
  add_place_options(app, flags.place);
}

// JSON has no word for what is not finite: the field would be null, and taken out.
std::optional<Failure> refuse_infinite(const char* option, const std::optional<double>& number) {
  if (!number || std::isfinite(*number)) return std::nullopt;
  return Failure{fmt::format("sluice rules: {} must be a finite number, but is {}", option, *number), "", kBadUsage};
}

// Of two fields with one name, parsers of JSON take one, and do not say which: the second.
const documents::Member* find_double(const documents::Node& node) {
  std::set<std::string_view> names;
  for (const documents::Member& member : node.members) {
    if (!names.insert(member.name).second) return &member;
    if (const auto* found = find_double(member.value)) return found;
  }
  for (const documents::Node& item : node.items) {
    if (const auto* found = find_double(item)) return found;
  }
  return nullptr;
}

std::variant<Node, Failure> read_fields(const Input& input) {
  const auto place = [&](documents::Position at) { return fmt::format("{}:{}:{}: ", input.name, at.line, at.column); };
  auto parsed = documents::read_json(input.text);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return Failure{place(fault->position) + fault->message, "", kBadUsage};
  }
  if (const auto* second = find_double(std::get<documents::Node>(parsed))) {
    return Failure{place(second->position) + "'" + second->name + "' is given twice", "leave one of them out",
                   kBadUsage};
  }
  if (std::get<Node>(parsed).kind == documents::Kind::kObject) return std::get<Node>(std::move(parsed));
  return Failure{input.name + ": expected a JSON object with the fields of a rule", "docs/rules.md shows one",
                 kBadUsage};
}

void set_field(Node& fields, std::string_view name, Node value) {
  std::erase_if(fields.members, [&](const documents::Member& member) { return member.name == name; });
  fields.members.push_back({std::string(name), {}, std::move(value)});
}

Node number_of(double number) { return documents::number_node(rules::number_text(number)); }

std::variant<Node, Failure> fields_of(const RuleFlags& flags) {
  if (const auto failure = refuse_infinite("--rate", flags.rate)) return *failure;
  if (const auto failure = refuse_infinite("--burst", flags.burst)) return *failure;
  Node fields = documents::object_node({});
  if (!flags.file.empty()) {
    const auto input = read_input(flags.file);
    if (const auto* failure = std::get_if<Failure>(&input)) return *failure;
    auto read = read_fields(std::get<Input>(input));
    if (std::holds_alternative<Failure>(read)) return read;
    fields = std::get<Node>(std::move(read));
  }
  if (flags.rate) set_field(fields, "rate_per_second", number_of(*flags.rate));
  if (flags.burst) set_field(fields, "burst_capacity", number_of(*flags.burst));
  if (flags.plan) set_field(fields, "plan", documents::string_node(*flags.plan));
  if (flags.description) set_field(fields, "description", documents::string_node(*flags.description));
  if (flags.is_active || flags.is_inactive) set_field(fields, "is_active", documents::bool_node(flags.is_active));
  return fields;
}

int print_row(const RuleBook::Answer& answer, bool json, const char* done) {
  if (const auto* failure = std::get_if<Failure>(&answer)) return fail(*failure);
  const Json& row = std::get<Json>(answer);
  Output out;
  if (json) {
    out.print("{}\n", row.dump(2));
  } else {
    out.print("{} {}\n", done, in_one_line(row));
  }
  return out.finish();
}

int add(const RuleFlags& flags) {
  auto fields = fields_of(flags);
  if (const auto* failure = std::get_if<Failure>(&fields)) return fail(*failure);
  Node rule = std::get<Node>(std::move(fields));
  if (!flags.which.empty()) set_field(rule, "key_pattern", documents::string_node(flags.which));
  if (rule.members.empty()) {
    return fail({"sluice rules add: say which rule: a pattern, or --file",
                 "e.g. sluice rules add 'user:{user_id}' --rate 10 --burst 50", kBadUsage});
  }
  const std::string text = documents::write_json(rule);
  return with_book(
      flags.place, [&](RuleBook& book) { return print_row(book.create(text), flags.json, "added"); }, BookFor::kAdding);
}

// By its id, or by its name with the plan behind an @.
std::variant<Json, Failure> find(RuleBook& book, const std::string& which) {
  const RuleBook::Answer all = book.list();
  if (const auto* failure = std::get_if<Failure>(&all)) return *failure;
  for (const Json& row : std::get<Json>(all)) {
    if (std::to_string(row.value("rule_id", int64_t{0})) == which || name_of(row) == which) return row;
  }
  return Failure{"sluice rules: there is no rule '" + which + "'", "'sluice rules list' shows them: by id, or by name",
                 kFailed};
}

int set(const RuleFlags& flags) {
  const auto fields = fields_of(flags);
  if (const auto* failure = std::get_if<Failure>(&fields)) return fail(*failure);
  if (std::get<Node>(fields).members.empty()) {
    return fail({"sluice rules set: say what to change", "e.g. --rate 20, or --inactive", kBadUsage});
  }
  const std::string text = documents::write_json(std::get<Node>(fields));
  return with_book(flags.place, [&](RuleBook& book) {
    const auto found = find(book, flags.which);
    if (const auto* failure = std::get_if<Failure>(&found)) return fail(*failure);
    const Json& row = std::get<Json>(found);
    return print_row(book.change(row.value("rule_id", int64_t{0}), row.value("version", int64_t{0}), text), flags.json,
                     "set");
  });
}

int remove(const Place& place, const std::string& which) {
  return with_book(place, [&](RuleBook& book) {
    const auto found = find(book, which);
    if (const auto* failure = std::get_if<Failure>(&found)) return fail(*failure);
    const Json& row = std::get<Json>(found);
    if (const auto failure = book.remove(row.value("rule_id", int64_t{0}), row.value("version", int64_t{0})))
      return fail(*failure);
    Output out;
    out.print("removed {}\n", in_one_line(row));
    return out.finish();
  });
}

int list(const Place& place, bool json) {
  return with_book(place, [&](RuleBook& book) {
    const RuleBook::Answer answer = book.list();
    if (const auto* failure = std::get_if<Failure>(&answer)) return fail(*failure);
    Output out;
    if (json) {
      out.print("{}\n", std::get<Json>(answer).dump(2));
    } else {
      out.write(rules_table(std::get<Json>(answer), style_for(surroundings_of_stdout(), {})));
    }
    return out.finish();
  });
}

int history(const Place& place, const std::string& which, size_t most, bool json) {
  return with_book(place, [&](RuleBook& book) {
    std::optional<int64_t> id;
    if (!which.empty()) {
      int64_t number = 0;
      const char* end = which.data() + which.size();
      const auto [stop, error] = std::from_chars(which.data(), end, number);
      // Of a rule that was removed, only the number is left.
      const bool is_number = error == std::errc() && stop == end;
      const auto found = is_number ? std::variant<Json, Failure>(Json{{"rule_id", number}}) : find(book, which);
      if (const auto* failure = std::get_if<Failure>(&found)) return fail(*failure);
      id = std::get<Json>(found).value("rule_id", int64_t{0});
    }
    const RuleBook::Answer answer = book.history(id, most);
    if (const auto* failure = std::get_if<Failure>(&answer)) return fail(*failure);
    Output out;
    if (json) {
      out.print("{}\n", std::get<Json>(answer).dump(2));
    } else {
      out.write(history_text(std::get<Json>(answer)));
    }
    return out.finish();
  });
}

int import(const Place& place, const std::string& file, bool replaces) {
  const auto input = read_input(file);
  if (const auto* failure = std::get_if<Failure>(&input)) return fail(*failure);
  const std::string& name = std::get<Input>(input).name;
  const std::string& text = std::get<Input>(input).text;
  return with_book(
      place,
      [&](RuleBook& book) {
        const RuleBook::Answer answer = book.write_file(text, name, replaces);
        if (const auto* failure = std::get_if<Failure>(&answer)) return fail(*failure);
        Output out;
        out.write(import_text(std::get<Json>(answer), name));
        return out.finish();
      },
      BookFor::kAdding);
}

int export_to(const Place& place, const std::string& file) {
  return with_book(place, [&](RuleBook& book) {
    const RuleBook::Text answer = book.read_file();
    if (const auto* failure = std::get_if<Failure>(&answer)) return fail(*failure);
    const auto& text = std::get<std::string>(answer);
    if (file.empty() || file == "-") {
      Output out;
      out.write(text);
      return out.finish();
    }
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (!stream) return fail({"sluice rules export: " + file + " cannot be written", "", kFailed});
    return kSuccess;
  });
}

}  // namespace

Action rules_add(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  app.add_option("PATTERN", flags->which, "user:{user_id}, ip:{ip}, endpoint:/api/search, global, ...")->type_name("");
  add_fields(app, *flags);
  return [flags] { return add(*flags); };
}

Action rules_set(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  app.add_option("RULE", flags->which, "Its id, or its name: user:{user_id}, user:{user_id}@pro, policy:public-api")
      ->type_name("")
      ->required();
  add_fields(app, *flags);
  app.add_flag("--active", flags->is_active, "Apply it again")->excludes("--inactive");
  return [flags] { return set(*flags); };
}

Action rules_remove(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  app.add_option("RULE", flags->which, "Its id, or its name")->type_name("")->required();
  add_place_options(app, flags->place);
  return [flags] { return remove(flags->place, flags->which); };
}

Action rules_list(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  app.add_flag("--json", flags->json, "Print them as JSON");
  add_place_options(app, flags->place);
  return [flags] { return list(flags->place, flags->json); };
}

Action rules_history(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  const auto most = std::make_shared<size_t>(20);
  app.add_option("RULE", flags->which, "Its id, or its name; without it, of all rules")->type_name("");
  app.add_option("--limit", *most, "How many changes to show (default 20)")->type_name("N")->check(CLI::Range(1, 1000));
  app.add_flag("--json", flags->json, "Print them as JSON, whole");
  add_place_options(app, flags->place);
  return [flags, most] { return history(flags->place, flags->which, *most, flags->json); };
}

Action rules_import(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  const auto replaces = std::make_shared<bool>(false);
  app.add_option("FILE", flags->file, "A rules file, JSON or YAML; - for stdin")->type_name("")->required();
  app.add_flag("--replace", *replaces, "Remove all rules that the file does not have");
  add_place_options(app, flags->place);
  return [flags, replaces] { return import(flags->place, flags->file, *replaces); };
}

Action rules_export(CLI::App& app) {
  const auto flags = std::make_shared<RuleFlags>();
  app.add_option("--out", flags->file, "Where to write it (default: stdout)")->type_name("FILE");
  add_place_options(app, flags->place);
  return [flags] { return export_to(flags->place, flags->file); };
}

}  // namespace sluice::cli
