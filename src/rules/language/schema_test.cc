#include "rules/language/schema.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "documents/json_reader.h"
#include "rules/language/table.h"

namespace sluice::rules {
namespace {

TEST(Schema, TheFileInDocsIsInStepWithTheTable) {
  std::ifstream file(SLUICE_RULES_SCHEMA);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(written, rules_schema()) << "write it anew: sluice rules schema > docs/rules.schema.json";
}

TEST(Schema, NamesEveryFieldOfTheTable) {
  const auto parsed = documents::read_json(rules_schema());
  const auto* schema = std::get_if<documents::Node>(&parsed);
  ASSERT_NE(schema, nullptr);
  for (const language::ObjectSpec* object : language::all_specs()) {
    const bool is_root = object == &language::kFileSpec;
    const documents::Node* definition = is_root ? schema : schema->find("$defs")->find(object->name);
    ASSERT_NE(definition, nullptr) << object->name;
    EXPECT_EQ(definition->find("properties")->members.size(), object->fields.size());
    for (const language::FieldSpec& field : object->fields) {
      EXPECT_NE(definition->find("properties")->find(field.name), nullptr) << field.name;
    }
  }
}

}  // namespace
}  // namespace sluice::rules
