// What `sluice check` prints: the answer, and with --explain how it came about.
#pragma once

#include "cli/output.h"
#include "cli/terminal.h"
#include "limiter/answer.h"
#include "rules/explain.h"
#include "rules/model.h"

namespace sluice::cli {

struct CheckResult {
  const rules::RuleSet& rules;
  const limiter::Answer& answer;
  const rules::Report* report;  // nullptr without --explain
  Duration since_epoch;
};

void print_answer(const CheckResult& result, const Style& style, Output& out);
void print_answer_json(const CheckResult& result, Output& out);

}  // namespace sluice::cli
