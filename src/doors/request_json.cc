#include "doors/request_json.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "doors/query_string.h"
#include "sluice/limit.h"

namespace sluice::doors {

using documents::Kind;
using documents::Member;
using documents::Node;

struct DescribedRequest::Parts {
  Node node;
  QueryFields query_of_path;
  std::vector<rules::Field> headers;
  std::vector<rules::Field> query;
  std::vector<rules::Field> attributes;
  rules::Request request;
};

DescribedRequest::DescribedRequest(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
DescribedRequest::DescribedRequest(DescribedRequest&&) noexcept = default;
DescribedRequest& DescribedRequest::operator=(DescribedRequest&&) noexcept = default;
DescribedRequest::~DescribedRequest() = default;

const rules::Request& DescribedRequest::request() const { return parts_->request; }

// Reads one description; what is wrong first is told.
class RequestReader {
 public:
  using Parts = DescribedRequest::Parts;

  static std::variant<DescribedRequest, RequestFault> read(Node node) {
    auto parts = std::make_unique<Parts>();
    parts->node = std::move(node);
    RequestReader reader(*parts);
    if (!reader.read_all()) return RequestFault{std::move(reader.fault_)};
    return DescribedRequest(std::move(parts));
  }

 private:
  explicit RequestReader(Parts& parts) : parts_(parts) {}

  bool read_all() {
    if (parts_.node.kind != Kind::kObject) return fail("request", "an object", parts_.node);
    const auto& members = parts_.node.members;
    for (auto member = members.begin(); member != members.end(); ++member) {
      const bool is_second =
          std::any_of(members.begin(), member, [&](const Member& earlier) { return earlier.name == member->name; });
      if (is_second) return fail_with("field '" + member->name + "' stands twice");
      if (!read_member(*member)) return false;
    }
    if (parts_.node.find("query") == nullptr) read_query_of_path();
    parts_.request.headers = parts_.headers;
    parts_.request.query = parts_.query;
    parts_.request.attributes = parts_.attributes;
    return true;
  }

  bool read_member(const Member& member) {
    rules::Request& request = parts_.request;
    if (member.name == "method") return read_text(member, request.method);
    if (member.name == "path") return read_text(member, request.path);
    if (member.name == "host") return read_text(member, request.host);
    if (member.name == "ip") return read_text(member, request.ip);
    if (member.name == "headers") return read_map(member, parts_.headers);
    if (member.name == "query") return read_map(member, parts_.query);
    if (member.name == "attributes") return read_map(member, parts_.attributes);
    if (member.name == "cost") return read_cost(member);
    return fail_with("there is no field '" + member.name +
                     "': a request has method, path, host, ip, headers, query, attributes and cost");
  }

  bool read_text(const Member& member, std::string_view& text) {
    if (member.value.kind != Kind::kString) return fail(member.name, "a string", member.value);
    text = member.value.text;
    return true;
  }

  bool read_map(const Member& member, std::vector<rules::Field>& fields) {
    if (member.value.kind != Kind::kObject) return fail(member.name, "an object", member.value);
    for (const Member& field : member.value.members) {
      const bool is_list = field.value.kind == Kind::kList;
      const std::span<const Node> values = is_list ? std::span(field.value.items) : std::span(&field.value, 1);
      for (const Node& value : values) {
        const bool is_plain = value.kind == Kind::kString || value.kind == Kind::kNumber || value.kind == Kind::kBool;
        if (!is_plain) return fail(member.name + "." + field.name, "a string, number or boolean", value);
        fields.push_back({field.name, value.text});
      }
    }
    return true;
  }

  bool read_cost(const Member& member) {
    if (member.value.kind != Kind::kNumber) return fail(member.name, "a number", member.value);
    const auto cost = cost_of(member.value.number);
    if (!cost) return fail_with("cost must be a number above 0 and at most 1e12, but is " + member.value.text);
    parts_.request.cost = *cost;
    return true;
  }

  void read_query_of_path() {
    const std::string_view path = parts_.request.path;
    const size_t mark = path.find('?');
    if (mark == std::string_view::npos) return;
    parts_.query_of_path = parse_query(path.substr(mark + 1, path.find('#', mark) - mark - 1));
    for (const auto& [name, value] : parts_.query_of_path) parts_.query.push_back({name, value});
  }

  bool fail(const std::string& field, const char* expected, const Node& found) {
    return fail_with(field + " must be " + expected + ", but is " + documents::name_of(found.kind));
  }
  bool fail_with(std::string message) {
    fault_ = std::move(message);
    return false;
  }

  Parts& parts_;
  std::string fault_;
};

std::variant<DescribedRequest, RequestFault> describe_request(Node node) {
  return RequestReader::read(std::move(node));
}

}  // namespace sluice::doors
