#include "doors/http/json_body.h"

namespace sluice::doors::http {

std::optional<std::string> read_json_body(std::string_view body, documents::JsonTape& tape) {
  if (body.empty()) return "the body must be JSON, but is empty";
  const auto fault = tape.read(body);
  if (!fault) return std::nullopt;
  return "line " + std::to_string(fault->position.line) + ", column " + std::to_string(fault->position.column) + ": " +
         fault->message;
}

}  // namespace sluice::doors::http
