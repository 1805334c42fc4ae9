#include "doors/http/decision_route.h"

#include <array>
#include <string>

#include "doors/problem.h"
#include "doors/status.h"
#include "rules/letter_case.h"

namespace sluice::doors::http {
namespace {

using rules::equal_ignoring_case;

// Those that win first.
enum Said : size_t {
  kOriginalMethod,
  kOriginalUri,
  kOriginalHost,
  kForwardedMethod,
  kForwardedUri,
  kForwardedHost,
  kNone
};
constexpr std::array<std::string_view, kNone> kNames = {"X-Original-Method",  "X-Original-URI",  "X-Original-Host",
                                                        "X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host"};

size_t said_by(std::string_view name) {
  // Most fields are none of these, and are told apart by their first letters.
  if (name.size() < 14 || rules::to_lower(name[0]) != 'x' || name[1] != '-') return kNone;
  for (size_t i = 0; i < kNone; ++i) {
    if (equal_ignoring_case(name, kNames[i])) return i;
  }
  return kNone;
}

std::string_view first_of(std::string_view a, std::string_view b) { return a.empty() ? b : a; }

}  // namespace

void DecisionRoute::decide(const Request& request, const net::Peer& peer, Response& response) {
  const Original original = read_fields(request);
  if (!original.twice.empty()) {
    return response.send_fault(
        400, std::string(original.twice) + " must stand at most once: the proxy must replace what its client sent");
  }
  const Target target = original.uri.empty() ? request.target : split_target(original.uri);
  rules::Request asked;
  asked.method = first_of(original.method, request.method);
  asked.path = target.path;
  asked.host = first_of(original.host, first_of(target.host, request.host));
  asked.ip = peer.is_local ? rules::kUnixPeer : peer.address;
  asked.headers = headers_;
  asked.query = query_.read(target.query);
  send(desk_.decide(asked, stores::Action::kTake), response);
  desk_.note_take();
}

DecisionRoute::Original DecisionRoute::read_fields(const Request& request) {
  std::array<std::string_view, kNone> said;
  std::array<bool, kNone> is_said{};
  Original original;
  headers_.clear();
  for (const Field& field : request.fields) {
    const size_t by = said_by(field.name);
    if (by < kNone) {
      if (is_said[by]) original.twice = kNames[by];
      is_said[by] = true;
      said[by] = field.value;
    }
    // What the proxy says to us is no part of the request it holds.
    if (by > kOriginalHost) headers_.push_back({field.name, field.value});
  }
  original.method = first_of(said[kOriginalMethod], said[kForwardedMethod]);
  original.uri = first_of(said[kOriginalUri], said[kForwardedUri]);
  original.host = first_of(said[kOriginalHost], said[kForwardedHost]);
  return original;
}

void DecisionRoute::send(const limiter::Answer& answer, Response& response) {
  const auto fields = desk_.fields_of(answer);
  if (answer.allowed) return response.send({200, {}, fields, {}});
  StatusRow row = status_row(answer.reason);
  if (row.status == 429) row = sent_with(row, settings_.rejected_status, phrase_of(settings_.rejected_status));
  std::string& text = response.text();
  JsonWriter json(text);
  write_problem(json, answer, row);
  response.send({row.status, kProblemMediaType, fields, text});
}

}  // namespace sluice::doors::http
