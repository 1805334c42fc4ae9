#include <string>

#include "cli/check_report.h"
#include "doors/decision_json.h"
#include "doors/explain_json.h"
#include "doors/json_writer.h"

namespace sluice::cli {

void print_answer_json(const CheckResult& result, Output& out) {
  std::string text;
  doors::JsonWriter json(text);
  if (result.report == nullptr) {
    doors::write_decision(json, result.answer, {.keys = true});
  } else {
    doors::write_explanation(json, result.answer, *result.report);
  }
  out.print("{}\n", text);
}

}  // namespace sluice::cli
