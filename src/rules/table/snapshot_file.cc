#include "rules/table/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "documents/json_reader.h"
#include "documents/json_writer.h"
#include "documents/read_file.h"
#include "net/descriptor.h"
#include "rules/table/row_tree.h"

namespace sluice::rules {
namespace {

using documents::Kind;
using documents::Member;
using documents::Node;
using net::Descriptor;

constexpr std::string_view kFormat = "sluice-rules-1";
// Ten thousand rows are some 3 MiB.
constexpr documents::Bounds kBounds{size_t{256} << 20, 10'000'000, 8};

void add(Node& object, std::string_view name, Node value) {
  object.members.push_back({std::string(name), {}, std::move(value)});
}

Node integer(int64_t number) { return documents::number_node(std::to_string(number)); }
Node text_or_null(const std::optional<std::string>& text) { return text ? documents::string_node(*text) : Node(); }
Node number_or_null(const std::optional<double>& number) {
  return number ? documents::number_node(number_text(*number)) : Node();
}

Node json_of(const Row& row) {
  Node json = documents::object_node({});
  add(json, "rule_id", integer(row.id));
  add(json, "key_pattern", documents::string_node(row.key_pattern));
  add(json, "scope", text_or_null(row.scope));
  add(json, "rate_per_second", number_or_null(row.rate_per_second));
  add(json, "burst_capacity", number_or_null(row.burst_capacity));
  add(json, "plan", text_or_null(row.plan));
  add(json, "is_active", documents::bool_node(row.is_active));
  add(json, "description", text_or_null(row.description));
  add(json, "definition", text_or_null(row.definition));
  add(json, "version", integer(row.version));
  add(json, "created_at", documents::string_node(row.created_at));
  add(json, "updated_at", documents::string_node(row.updated_at));
  return json;
}

Node json_of(const Snapshot& snapshot, const std::string& table) {
  Node rows = documents::list_node({});
  for (const Row& row : snapshot.rows) rows.items.push_back(json_of(row));
  Node top_level = documents::object_node({});
  for (const auto& [field, value] : snapshot.top_level) add(top_level, field, documents::string_node(value));
  Node json = documents::object_node({});
  add(json, "format", documents::string_node(kFormat));
  add(json, "table", documents::string_node(table));
  add(json, "change", integer(snapshot.change));
  add(json, "top_level", std::move(top_level));
  add(json, "rows", std::move(rows));
  return json;
}

// Takes members off an object in the order in which they were written.
class Taker {
 public:
  explicit Taker(const Node& object) : object_(object) { is_fine_ = object.kind == Kind::kObject; }

  const Node* take(std::string_view name) {
    is_fine_ = is_fine_ && next_ < object_.members.size() && object_.members[next_].name == name;
    return is_fine_ ? &object_.members[next_++].value : nullptr;
  }
  void take(std::string_view name, int64_t& number) {
    const Node* node = take(name);
    if (!has(node, Kind::kNumber)) return;
    const char* const end = node->text.data() + node->text.size();
    is_fine_ = std::from_chars(node->text.data(), end, number).ptr == end;
  }
  void take(std::string_view name, bool& value) {
    if (const Node* node = take(name); has(node, Kind::kBool)) value = node->boolean;
  }
  void take(std::string_view name, std::string& text) {
    if (const Node* node = take(name); has(node, Kind::kString)) text = node->text;
  }
  void take(std::string_view name, std::optional<std::string>& text) {
    const Node* node = take(name);
    if (node != nullptr && node->kind != Kind::kNull && has(node, Kind::kString)) text = node->text;
  }
  void take(std::string_view name, std::optional<double>& number) {
    const Node* node = take(name);
    if (node != nullptr && node->kind != Kind::kNull && has(node, Kind::kNumber)) number = node->number;
  }

  // All were there, each as it must be, and no other.
  bool is_done() const { return is_fine_ && next_ == object_.members.size(); }

 private:
  bool has(const Node* node, Kind kind) {
    is_fine_ = node != nullptr && node->kind == kind;
    return is_fine_;
  }

  const Node& object_;
  size_t next_ = 0;
  bool is_fine_ = true;
};

std::optional<Row> row_in(const Node& json) {
  Row row;
  Taker members(json);
  members.take("rule_id", row.id);
  members.take("key_pattern", row.key_pattern);
  members.take("scope", row.scope);
  members.take("rate_per_second", row.rate_per_second);
  members.take("burst_capacity", row.burst_capacity);
  members.take("plan", row.plan);
  members.take("is_active", row.is_active);
  members.take("description", row.description);
  members.take("definition", row.definition);
  members.take("version", row.version);
  members.take("created_at", row.created_at);
  members.take("updated_at", row.updated_at);
  return members.is_done() ? std::optional(std::move(row)) : std::nullopt;
}

bool fill(Snapshot& snapshot, const Node* top_level, const Node* rows) {
  if (top_level == nullptr || top_level->kind != Kind::kObject || rows == nullptr || rows->kind != Kind::kList) {
    return false;
  }
  for (const Member& member : top_level->members) {
    if (member.value.kind != Kind::kString) return false;
    snapshot.top_level[member.name] = member.value.text;
  }
  for (const Node& item : rows->items) {
    auto row = row_in(item);
    if (!row) return false;
    snapshot.rows.push_back(*std::move(row));
  }
  return true;
}

std::string why(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

std::optional<std::string> write_snapshot_file(const std::filesystem::path& path, const std::string& table,
                                               const Snapshot& snapshot) {
  const std::string text = documents::write_json(json_of(snapshot, table));
  const std::string beside = path.string() + ".new";
  {
    const Descriptor file(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    // One that was left there may be open to others.
    if (!file || fchmod(file.get(), 0600) != 0) return why("it cannot be created");
    if (!write_all(file.get(), text) || fsync(file.get()) != 0) return why("it cannot be written");
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) return why("it cannot be put in place");
  const std::filesystem::path parent = path.parent_path();
  const Descriptor folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || fsync(folder.get()) != 0) return why("its folder cannot be written");
  return std::nullopt;
}

std::variant<Snapshot, std::string> read_snapshot_file(const std::filesystem::path& path, const std::string& table) {
  const auto content = documents::read_file(path, kBounds.bytes);
  if (const auto* unreadable = std::get_if<documents::Unreadable>(&content)) return unreadable->why;
  const auto parsed = documents::read_json(std::get<std::string>(content), kBounds);
  if (const auto* fault = std::get_if<documents::SyntaxFault>(&parsed)) return "it is damaged: " + fault->message;
  Snapshot snapshot;
  std::string format;
  std::string name;
  Taker members(std::get<Node>(parsed));
  members.take("format", format);
  members.take("table", name);
  members.take("change", snapshot.change);
  const Node* top_level = members.take("top_level");
  const Node* rows = members.take("rows");
  if (!members.is_done() || format != kFormat || !fill(snapshot, top_level, rows)) return "it is not as it was written";
  if (name != table) return "it is of another table, " + name;
  return snapshot;
}

}  // namespace sluice::rules
