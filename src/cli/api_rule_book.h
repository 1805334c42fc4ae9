// The rules of a running server, through its admin door.
#pragma once

#include "cli/admin_client.h"
#include "cli/rule_book.h"

namespace sluice::cli {

class ApiRuleBook final : public RuleBook {
 public:
  explicit ApiRuleBook(AdminClient client) : client_(std::move(client)) {}

  Answer list() override;
  Answer create(const std::string& rule) override;
  Answer change(int64_t id, int64_t version, const std::string& fields) override;
  std::optional<Failure> remove(int64_t id, int64_t version) override;
  Answer history(std::optional<int64_t> id, size_t most) override;
  Text read_file() override;
  Answer write_file(const std::string& text, const std::string& name, bool replaces) override;

 private:
  std::variant<AdminAnswer, Failure> send(const AdminRequest& request) const;
  Answer ask(const AdminRequest& request, const std::string& file = "") const;

  AdminClient client_;
};

struct AskedFor {
  std::string command;  // "rules"
  std::string url;
  std::string file{};  // what was sent, where it was one
};

// What a server answered: its JSON, or in words why not.
RuleBook::Answer read_answer(const AdminAnswer& answer, const AskedFor& asked);

}  // namespace sluice::cli
