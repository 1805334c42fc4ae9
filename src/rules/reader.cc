#include "rules/reader.h"

#include <algorithm>
#include <charconv>

#include "rules/cookies.h"
#include "rules/letter_case.h"
#include "rules/path.h"

namespace sluice::rules {
namespace {

// Without the port and the dot at the end.
std::string_view bare_host(std::string_view host) {
  const size_t colon = host.rfind(':');
  const bool is_bracketed = !host.empty() && host[0] == '[';
  const bool has_port =
      colon != host.npos && (is_bracketed ? colon > 0 && host[colon - 1] == ']' : host.find(':') == colon);
  if (has_port) host = host.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

void Reader::begin(const ReadingPlan& plan, const Request& request, const Now& now, ClaimSource* claims) {
  plan_ = &plan;
  request_ = &request;
  unix_seconds_ = now.unix_seconds();
  claims_ = claims;
  ++round_;
  if (slots_.size() < plan.sources.size()) slots_.resize(plan.sources.size());
  if (address_memory_.size() < plan.sources.addresses()) address_memory_.resize(plan.sources.addresses());
  named_.clear();
  kinds_read_ = 0;
  path_ = {};
  has_client_ = false;
  token_ = Token::kNotAsked;
}

std::string_view Reader::read_path() { return path_ = normalize_path(request_->path, path_memory_); }

const Client& Reader::read_client() {
  client_ = find_client(*request_, plan_->trusted_proxies, plan_->forwarded_header);
  has_client_ = true;
  return client_;
}

std::string_view Reader::keep(SourceId id, std::string_view value) {
  slots_[id] = {round_, value};
  return value;
}

std::string_view Reader::read(SourceId id) {
  const KeyKind kind = plan_->sources[id].kind;
  switch (kind) {
    case KeyKind::kIp: return keep(id, read_address(id));
    case KeyKind::kPath: return keep(id, path());
    case KeyKind::kMethod: return keep(id, read_method());
    case KeyKind::kHost: return keep(id, read_host());
    default: read_named(kind); return slots_[id].round == round_ ? slots_[id].value : std::string_view();
  }
}

std::string_view Reader::read_address(SourceId id) {
  const auto& address = client().address;
  if (!address) return {};
  const KeySource& source = plan_->sources[id];
  const int bits = address->is_v6 ? source.ipv6_bits : source.ipv4_bits;
  // An IPv4 address with nothing around it has only one spelling.
  const bool is_as_written = client_.found == Client::Found::kConnected && request_->ip.find(':') == request_->ip.npos;
  if (is_as_written && bits >= address->bits()) return request_->ip;
  AddressText& memory = address_memory_[plan_->sources.address_number(id)];
  const auto text = std::span(memory).first<Address::kLongestText>();
  if (bits >= address->bits()) return {memory.data(), address->write_text(text)};
  size_t length = address->masked(bits).write_text(text);
  memory[length++] = '/';
  char* const end = std::to_chars(memory.data() + length, memory.data() + memory.size(), bits).ptr;
  return {memory.data(), end};
}

std::string_view Reader::read_method() {
  const std::string_view method = request_->method;
  if (method.size() > kLongestValue || std::none_of(method.begin(), method.end(), is_lower)) return method;
  method_memory_.resize(method.size());
  std::transform(method.begin(), method.end(), method_memory_.begin(), to_upper);
  return method_memory_;
}

std::string_view Reader::read_host() {
  const std::string_view host = bare_host(request_->host);
  if (host.size() > host_memory_.size()) return {};
  if (std::none_of(host.begin(), host.end(), is_upper)) return host;
  std::transform(host.begin(), host.end(), host_memory_.begin(), to_lower);
  return {host_memory_.data(), host.size()};
}

void Reader::keep_first(SourceId id, std::string_view value) {
  if (id == kNoSource || value.empty() || slots_[id].round == round_) return;
  keep(id, value);
  named_.push_back(id);
}

std::string_view Reader::attribute(std::string_view name) const {
  for (const Field& field : request_->attributes) {
    if (field.name == name && !field.value.empty()) return field.value;
  }
  return {};
}

bool Reader::mark_read(KeyKind kind) {
  const uint32_t bit = uint32_t{1} << static_cast<uint32_t>(kind);
  const bool is_first = (kinds_read_ & bit) == 0;
  kinds_read_ |= bit;
  return is_first;
}

void Reader::read_named(KeyKind kind) {
  if (!mark_read(kind)) return;
  const NameTable& names = plan_->sources.names(kind);
  if (kind == KeyKind::kHeader) {
    for (const Field& field : request_->headers) {
      const SourceId id = names.find<Letters::kInLowerCase>(field.name);
      if (id != kNoSource) keep_first(id, trimmed(field.value));
    }
  } else if (kind == KeyKind::kQuery) {
    for (const Field& field : request_->query) keep_first(names.find<Letters::kInLowerCase>(field.name), field.value);
  } else if (kind == KeyKind::kAttribute) {
    for (const Field& field : request_->attributes)
      keep_first(names.find<Letters::kAsTheyAre>(field.name), field.value);
  } else if (kind == KeyKind::kCookie) {
    for_each_cookie(request_->headers, [&](const Cookie& cookie) {
      keep_first(names.find<Letters::kAsTheyAre>(cookie.name), cookie.value);
    });
  } else if (kind == KeyKind::kJwt) {
    const Claims* const claims = read_claims();
    if (claims == nullptr) return;
    for (const auto& [name, value] : claims->values) keep_first(names.find<Letters::kAsTheyAre>(name), value);
  }
}

std::optional<std::string_view> Reader::bearer_token() const {
  constexpr std::string_view kScheme = "bearer ";
  const auto header = std::find_if(request_->headers.begin(), request_->headers.end(),
                                   [](const Field& field) { return equal_ignoring_case(field.name, "authorization"); });
  if (header == request_->headers.end()) return std::nullopt;
  const std::string_view credentials = trimmed(header->value);
  if (!equal_ignoring_case(credentials.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return trimmed(credentials.substr(kScheme.size()));
}

const Claims* Reader::read_claims() {
  const auto bearer = bearer_token();
  token_ = !bearer ? Token::kNone : claims_ == nullptr ? Token::kNobodyToAsk : Token::kRefused;
  if (token_ != Token::kRefused) return nullptr;
  const Claims* const claims = claims_->claims_of(*bearer, unix_seconds_);
  if (claims != nullptr) token_ = Token::kGood;
  return claims;
}

}  // namespace sluice::rules
