#include "redis/dispatch.h"

#include <algorithm>

#include "redis/error_reply.h"

namespace sluice::redis {
namespace {

std::string says(const Reply& reply) { return "the server says " + std::string(reply.text()); }

// Before a server is asked again: doubled each time, up to 8 ms.
constexpr int64_t kFirstDelayNs = kNsPerMs;
constexpr int kMostDoublings = 3;

}  // namespace

Dispatch::Dispatch(Alarms& alarms, const Options& options, StatusListener* listener)
    : options_(options),
      listener_(listener),
      under_way_(alarms, [this](Request& request) { on_time_up(request); }),
      again_(alarms, [this] { ask_again(); }) {}

bool Dispatch::send(Request& request) {
  const int64_t now_ns = monotonic_ns();
  const int64_t deadline_ns = (request.since_ns != 0 ? request.since_ns : now_ns) + options_.request_ms * kNsPerMs;
  Link* const link = is_closed_ || deadline_ns <= now_ns ? nullptr : router_->link_for(request.slot);
  if (link == nullptr || !link->send(request)) {
    counts.refused.add();
    return false;
  }
  counts.sent.add();
  request.tries_ = request.redirections_ = 0;
  request.is_once_ = false;
  under_way_.add(request, deadline_ns);
  return true;
}

bool Dispatch::send_on(Link& link, Request& request, int64_t patience_ns) {
  if (!link.send(request)) return false;
  request.is_once_ = true;
  under_way_.add(request, monotonic_ns() + patience_ns);
  return true;
}

void Dispatch::on_link_reply(Link& link, Request& request, const Reply& reply) {
  if (reply.is_error()) return on_error(link, request, reply);
  tell_reply(request, reply);
}

void Dispatch::on_error(Link& link, Request& request, const Reply& reply) {
  switch (verdict_of(reply.text())) {
    case Verdict::kTell: return tell_error(link, request, reply);
    case Verdict::kMoved: return redirect(link, request, reply, Link::Ask::kPlainly);
    case Verdict::kAsk: return redirect(link, request, reply, Link::Ask::kWithAsking);
    case Verdict::kElsewhere: link.leave(says(reply)); break;
    case Verdict::kLater: break;
    case Verdict::kUnable:
      if (!may_ask_again(request)) link.count_refusal(says(reply));
      break;
  }
  router_->on_trouble();
  ask_again_soon(request);
}

// It may have been carried out in part, so it is not asked again.
void Dispatch::tell_error(Link& link, Request& request, const Reply& reply) {
  // The reply is gone with the connection, and the request may be another one once it is told.
  const std::string why = request.is_refusal(reply.text()) ? says(reply) : "";
  tell_reply(request, reply);
  if (!why.empty()) link.count_refusal(why);
}

void Dispatch::redirect(Link& link, Request& request, const Reply& reply, Link::Ask ask) {
  const auto redirection = read_redirection(reply.text(), link.address());
  const bool may_go_on = redirection && !request.is_once_ && request.redirections_ < kMostRedirections;
  Link* const to = may_go_on ? router_->link_at(redirection->to) : nullptr;
  // A node of a Cluster that was taken for a server of its own.
  if (may_go_on && to == nullptr) link.count_refusal(says(reply));
  if (to == nullptr) return tell_failure(request, Failure::kNotSent);
  counts.redirected.add();
  ++request.redirections_;
  if (ask == Link::Ask::kPlainly) router_->on_moved(redirection->slot, *to);
  if (!to->send(request, ask)) ask_again_soon(request);
}

int64_t Dispatch::next_try_ns(const Request& request) { return monotonic_ns() + (kFirstDelayNs << request.tries_); }

bool Dispatch::may_ask_again(const Request& request) const {
  return !is_closed_ && !request.is_once_ && next_try_ns(request) < request.deadline_ns_;
}

void Dispatch::ask_again_soon(Request& request) {
  if (!may_ask_again(request)) return tell_failure(request, Failure::kNotSent);
  const int64_t at_ns = next_try_ns(request);
  if (request.tries_ < kMostDoublings) ++request.tries_;
  request.redirections_ = 0;
  waiting_.push_back({&request, at_ns});
  again_.set_if_earlier(at_ns);
}

void Dispatch::ask_again() {
  const int64_t now_ns = monotonic_ns();
  const auto due =
      std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting& one) { return one.at_ns > now_ns; });
  const std::vector<Waiting> now(due, waiting_.end());
  waiting_.erase(due, waiting_.end());
  for (const Waiting& one : waiting_) again_.set_if_earlier(one.at_ns);
  for (const auto& [request, at_ns] : now) {
    counts.retried.add();
    Link* const link = router_->link_for(request->slot);
    if (link == nullptr || !link->send(*request)) ask_again_soon(*request);
  }
}

void Dispatch::on_link_lost(Request& request, Failure failure) {
  if (failure == Failure::kNotSent) return ask_again_soon(request);
  tell_failure(request, failure);
}

void Dispatch::on_time_up(Request& request) {
  Failure failure = Failure::kNotSent;
  if (request.link_ != nullptr) {
    failure = request.link_->give_up(request);
  } else {
    std::erase_if(waiting_, [&](const Waiting& one) { return one.request == &request; });
  }
  if (!request.is_once_) counts.timed_out.add();
  request.on_failure(failure);
}

void Dispatch::tell_reply(Request& request, const Reply& reply) {
  under_way_.remove(request);
  if (!request.is_once_) counts.replies.add();
  request.on_reply(reply);
}

void Dispatch::tell_failure(Request& request, Failure failure) {
  under_way_.remove(request);
  if (!request.is_once_) counts.failed.add();
  request.on_failure(failure);
}

void Dispatch::on_link_change(Link& link) {
  router_->on_change(link);
  update_status();
  if (listener_ != nullptr) listener_->on_change(link.status());
}

void Dispatch::update_status() {
  Status status;
  for (const Link* const link : router_->links()) {
    const ServerStatus& server = status.servers.emplace_back(link->status());
    status.is_available |= link->is_up() && !link->is_refusing();
    status.connections_up += server.is_up ? 1 : 0;
    if ((!server.is_up || link->is_refusing()) && status.why.empty() && !server.why.empty()) {
      status.why = to_text(server.address) + ": " + server.why;
    }
  }
  if (std::string why = router_->why(); !why.empty()) {
    status.is_available = false;
    status.why = std::move(why);
  }
  board.write(std::move(status));
}

void Dispatch::close() {
  is_closed_ = true;
  const std::vector<Waiting> all = std::move(waiting_);
  waiting_.clear();
  for (const Waiting& one : all) tell_failure(*one.request, Failure::kNotSent);
}

}  // namespace sluice::redis
