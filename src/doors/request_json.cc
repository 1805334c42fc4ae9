#include "doors/request_json.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "sluice/limit.h"

namespace sluice::doors {
namespace {

using documents::Kind;
using documents::Node;

// A tree's node with the face of a TapeValue.
class NodeValue {
 public:
  explicit NodeValue(const Node& node, std::string_view name = {}) : node_(node), name_(name) {}

  Kind kind() const { return node_.kind; }
  std::string_view name() const { return name_; }
  std::string_view text() const { return node_.text; }
  double number() const { return node_.number; }

  template <class Visit>
  bool each(const Visit& visit) const {
    return std::all_of(node_.items.begin(), node_.items.end(),
                       [&](const Node& item) { return visit(NodeValue(item)); }) &&
           std::all_of(node_.members.begin(), node_.members.end(),
                       [&](const documents::Member& member) { return visit(NodeValue(member.value, member.name)); });
  }

 private:
  const Node& node_;
  std::string_view name_;
};

constexpr std::array<std::string_view, 8> kNames = {"method",  "path",  "host",       "ip",
                                                    "headers", "query", "attributes", "cost"};

// Reads one description; what is wrong first is told.
template <class Value>
class RequestReader {
 public:
  explicit RequestReader(RequestMemory& memory) : memory_(memory) {}

  std::optional<RequestFault> read(const Value& value) {
    memory_.request = {};
    memory_.headers.clear();
    memory_.query.clear();
    memory_.attributes.clear();
    if (!read_all(value)) return RequestFault{std::move(fault_)};
    return std::nullopt;
  }

 private:
  bool read_all(const Value& value) {
    if (value.kind() != Kind::kObject) return fail("request", "an object", value);
    if (!value.each([this](const Value& member) { return read_once(member); })) return false;
    memory_.request.headers = memory_.headers;
    memory_.request.query = has("query") ? std::span<const rules::Field>(memory_.query) : query_of_path();
    memory_.request.attributes = memory_.attributes;
    return true;
  }

  static size_t index_of(std::string_view name) {
    return static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
  }
  bool has(std::string_view name) const { return (seen_ >> index_of(name) & 1) != 0; }

  bool read_once(const Value& member) {
    if (index_of(member.name()) == kNames.size()) {
      return fail_with("there is no field '" + std::string(member.name()) +
                       "': a request has method, path, host, ip, headers, query, attributes and cost");
    }
    if (has(member.name())) return fail_with("field '" + std::string(member.name()) + "' stands twice");
    seen_ |= 1U << index_of(member.name());
    return read_member(member);
  }

  bool read_member(const Value& member) {
    const std::string_view name = member.name();
    rules::Request& request = memory_.request;
    if (name == "method") return read_text(member, request.method);
    if (name == "path") return read_text(member, request.path);
    if (name == "host") return read_text(member, request.host);
    if (name == "ip") return read_text(member, request.ip);
    if (name == "headers") return read_map(member, memory_.headers);
    if (name == "query") return read_map(member, memory_.query);
    if (name == "attributes") return read_map(member, memory_.attributes);
    return read_cost(member);
  }

  bool read_text(const Value& member, std::string_view& text) {
    if (member.kind() != Kind::kString) return fail(member.name(), "a string", member);
    text = member.text();
    return true;
  }

  bool read_map(const Value& member, std::vector<rules::Field>& fields) {
    if (member.kind() != Kind::kObject) return fail(member.name(), "an object", member);
    return member.each([&](const Value& field) {
      const auto read_value = [&](const Value& value) {
        const bool is_plain =
            value.kind() == Kind::kString || value.kind() == Kind::kNumber || value.kind() == Kind::kBool;
        if (!is_plain) {
          return fail(std::string(member.name()) + "." + std::string(field.name()), "a string, number or boolean",
                      value);
        }
        fields.push_back({field.name(), value.text()});
        return true;
      };
      return field.kind() == Kind::kList ? field.each(read_value) : read_value(field);
    });
  }

  bool read_cost(const Value& member) {
    if (member.kind() != Kind::kNumber) return fail(member.name(), "a number", member);
    const auto cost = cost_of(member.number());
    if (!cost) {
      return fail_with("cost must be a number above 0 and at most 1e12, but is " + std::string(member.text()));
    }
    memory_.request.cost = *cost;
    return true;
  }

  std::span<const rules::Field> query_of_path() {
    const std::string_view path = memory_.request.path;
    const size_t mark = path.find('?');
    if (mark == std::string_view::npos) return {};
    return memory_.query_of_path.read(path.substr(mark + 1, path.find('#', mark) - mark - 1));
  }

  bool fail(std::string_view field, const char* expected, const Value& found) {
    return fail_with(std::string(field) + " must be " + expected + ", but is " + documents::name_of(found.kind()));
  }
  bool fail_with(std::string message) {
    fault_ = std::move(message);
    return false;
  }

  RequestMemory& memory_;
  uint32_t seen_ = 0;  // a bit for each of kNames
  std::string fault_;
};

}  // namespace

struct DescribedRequest::Parts {
  Node node;
  RequestMemory memory;
};

DescribedRequest::DescribedRequest(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
DescribedRequest::DescribedRequest(DescribedRequest&&) noexcept = default;
DescribedRequest& DescribedRequest::operator=(DescribedRequest&&) noexcept = default;
DescribedRequest::~DescribedRequest() = default;

const rules::Request& DescribedRequest::request() const { return parts_->memory.request; }

std::variant<DescribedRequest, RequestFault> describe_request(Node node) {
  auto parts = std::make_unique<DescribedRequest::Parts>();
  parts->node = std::move(node);
  if (auto fault = RequestReader<NodeValue>(parts->memory).read(NodeValue(parts->node))) return *std::move(fault);
  return DescribedRequest(std::move(parts));
}

std::optional<RequestFault> describe_request(documents::TapeValue value, RequestMemory& memory) {
  return RequestReader<documents::TapeValue>(memory).read(value);
}

}  // namespace sluice::doors
