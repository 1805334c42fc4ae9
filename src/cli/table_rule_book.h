// The rules of a database, without a server.
#pragma once

#include <memory>
#include <string>

#include "cli/rule_book.h"
#include "rules/table/editor.h"
#include "rules/table/rule_table.h"

namespace sluice::cli {

class TableRuleBook final : public RuleBook {
 public:
  // `who` is written into the history.
  TableRuleBook(std::unique_ptr<rules::RuleTable> table, rules::TableName name, std::string who);

  Answer list() override;
  Answer create(const std::string& rule) override;
  Answer change(int64_t id, int64_t version, const std::string& fields) override;
  std::optional<Failure> remove(int64_t id, int64_t version) override;
  Answer history(std::optional<int64_t> id, size_t most) override;
  Text read_file() override;
  Answer write_file(const std::string& text, const std::string& name, bool replaces) override;

 private:
  std::unique_ptr<rules::RuleTable> table_;
  const rules::TableName name_;
  const std::string who_;
  rules::Editor editor_;
};

}  // namespace sluice::cli
