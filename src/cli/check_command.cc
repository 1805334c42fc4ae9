#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/check_report.h"
#include "cli/command.h"
#include "cli/wiring.h"
#include "documents/json_reader.h"
#include "doors/request_json.h"
#include "limiter/worker.h"
#include "rules/language/load.h"
#include "sluice/clock.h"

namespace sluice::cli {
namespace {

struct CheckFlags {
  std::string rules;
  std::string request;
  int times = 1;
  bool explain = false;
  bool json = false;
  bool no_color = false;
};

constexpr const char* kHelp =
    "A request is JSON: method, path, host, ip, headers, query, attributes, cost; all optional.\n"
    "Every bucket is full at first; with --times N the request is asked N times at one instant,\n"
    "and the last answer is shown.\n"
    "\n"
    "Examples:\n"
    "  sluice check --rules rules.json --request '{\"path\": \"/v1/x\", \"headers\": {\"x-api-key\": \"abc\"}}'\n"
    "  sluice check --rules rules.json --request '{\"ip\": \"203.0.113.7\"}' --explain\n"
    "  sluice check --rules rules.json --request '{\"attributes\": {\"user_id\": \"42\"}}' --times 21 --json";

// A number of seconds below 1.5e9 would be a clock that was never set; it is used all the same.
Duration since_epoch() { return std::chrono::system_clock::now().time_since_epoch(); }

Failure bad_request(const std::string& message) {
  return {"sluice check: --request: " + message, "'sluice check --help' shows a request", kBadUsage};
}

int fail_with_faults(const rules::Loaded& loaded) {
  for (const rules::Fault& fault : loaded.faults) std::fprintf(stderr, "%s\n", describe(fault).c_str());
  return kBadUsage;
}

rules::Report explain(const rules::Loaded& loaded, const rules::Request& request, const rules::Now& now,
                      rules::ClaimSource* claims) {
  rules::Report report = rules::explain(*loaded.rules, request, now, claims);
  for (const std::string& policy : loaded.left_out.policies) report.not_active.push_back("policy " + policy);
  for (const std::string& rule : loaded.left_out.rules) report.not_active.push_back("rule " + rule);
  return report;
}

int check(const CheckFlags& flags) {
  const rules::Loaded loaded = rules::load_file(flags.rules);
  if (loaded.rules == nullptr) return fail_with_faults(loaded);
  auto parsed = documents::read_json(flags.request);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) {
    return fail(bad_request("column " + std::to_string(fault->position.column) + ": " + fault->message));
  }
  const auto described = doors::describe_request(std::move(std::get<documents::Node>(parsed)));
  if (const auto* fault = std::get_if<doors::RequestFault>(&described)) return fail(bad_request(fault->message));
  const rules::Request& request = std::get<doors::DescribedRequest>(described).request();

  const auto made = make_engine(loaded.rules);
  if (const auto* why = std::get_if<std::string>(&made)) return fail({"sluice check: " + *why, "", kFailed});
  limiter::Worker worker(std::get<std::unique_ptr<Engine>>(made)->limiter());
  limiter::PlainCheck asked;
  const Duration unix_time = since_epoch();
  const rules::Now now{system_clock().now(), unix_time.ns / 1'000};
  for (int i = 0; i < flags.times; ++i) worker.decide(asked, request, now);

  std::optional<rules::Report> report;
  if (flags.explain) report = explain(loaded, request, now, worker.claims());
  const CheckResult result{*loaded.rules, asked.answer(), report ? &*report : nullptr, unix_time};
  Output out;
  if (flags.json) {
    print_answer_json(result, out);
  } else {
    print_answer(result, style_for(surroundings_of_stdout(), {{}, flags.no_color}), out);
  }
  return out.finish();
}

}  // namespace

Action check_command(CLI::App& app) {
  const auto flags = std::make_shared<CheckFlags>();
  app.add_option("--rules", flags->rules, "The rules: a JSON or YAML file, or a folder of them")
      ->type_name("PATH")
      ->required();
  app.add_option("--request", flags->request, "The request, as JSON")->type_name("JSON")->required();
  app.add_option("--times", flags->times, "Ask that often (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--explain", flags->explain, "Tell of every rule why it did or did not apply");
  app.add_flag("--json", flags->json, "Print the answer as JSON");
  app.add_flag("--no-color", flags->no_color, "No colours; setting NO_COLOR does the same");
  app.footer(kHelp);
  return [flags] { return check(*flags); };
}

}  // namespace sluice::cli
