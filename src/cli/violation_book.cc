#include "cli/violation_book.h"

#include <chrono>
#include <filesystem>

#include "cli/api_rule_book.h"
#include "cli/command.h"
#include "cli/wiring.h"
#include "doors/violation_json.h"
#include "doors/violation_query.h"

namespace sluice::cli {
namespace {

using Json = ViolationBook::Json;

class ApiViolationBook final : public ViolationBook {
 public:
  explicit ApiViolationBook(AdminClient client) : client_(std::move(client)) {}

  std::variant<Json, Failure> page(const doors::QueryFields& query) override {
    std::string path = "/admin/v1/violations";
    for (const auto& [name, value] : query) {
      path += (path.find('?') == path.npos ? '?' : '&') + name + "=" + percent_encoded(value);
    }
    const auto sent = client_.send({.path = path});
    if (const auto* why = std::get_if<std::string>(&sent)) {
      return Failure{"sluice violations: " + *why, "is the server running, and is this its admin door?", kFailed};
    }
    return read_answer(std::get<AdminAnswer>(sent), {"violations", client_.url()});
  }

 private:
  AdminClient client_;
};

class TableViolationBook final : public ViolationBook {
 public:
  explicit TableViolationBook(std::unique_ptr<audit::ViolationTable> table) : table_(std::move(table)) {}

  std::variant<Json, Failure> page(const doors::QueryFields& query) override {
    const auto now =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
    const auto parsed = doors::read_violation_query(query, now.count());
    if (const auto* fault = std::get_if<std::string>(&parsed)) {
      return Failure{"sluice violations: " + *fault, "'sluice violations list --help' shows the options", kBadUsage};
    }
    const auto& wish = std::get<doors::ViolationQuery>(parsed);
    const auto page = table_->list(wish.filter, wish.after, wish.limit);
    if (!page) return Failure{"sluice violations: " + page.fault().message, page.fault().hint, kFailed};
    std::string text;
    doors::write_violations(*page, wish.limit, text);
    return Json::parse(text);
  }

 private:
  std::unique_ptr<audit::ViolationTable> table_;
};

}  // namespace

std::variant<std::unique_ptr<ViolationBook>, Failure> open_violation_book(const Place& place) {
  if (!place.admin.empty()) {
    auto client = admin_client(place);
    if (const auto* failure = std::get_if<Failure>(&client)) return *failure;
    return std::make_unique<ApiViolationBook>(std::get<AdminClient>(std::move(client)));
  }
  const auto database = database_of(place);
  if (const auto* failure = std::get_if<Failure>(&database)) return *failure;
  const auto& source = std::get<config::Source>(database);
  // To look at a file is no reason to make it.
  if (source.kind == config::Source::Kind::kSqlite && !std::filesystem::exists(source.path)) {
    return Failure{"sluice violations: there is no " + source.path.string(), "--rules names the database", kFailed};
  }
  auto table = open_violations(source, OpenedFor::kCommand);
  if (!table) return Failure{"sluice violations: " + table.fault().message, table.fault().hint, kFailed};
  return std::make_unique<TableViolationBook>(std::move(*table));
}

}  // namespace sluice::cli
