#include "net/connection.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

#include "net/endpoint.h"

namespace sluice::net {
namespace {

constexpr int64_t kNever = INT64_MAX;
constexpr int64_t kLingerMs = 2'000;
// What an idle connection may keep for its next message.
constexpr size_t kKeptBytes = 4096;
// At their largest, as much as one read of a plain socket.
constexpr int kMostRecords = 4;

int64_t after(int64_t start_ms, int64_t patience_ms) { return patience_ms == 0 ? kNever : start_ms + patience_ms; }

Transferred would_block_or_failed(Transfer if_blocked) {
  const bool is_blocked = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {is_blocked ? if_blocked : Transfer::kFailed, 0};
}

}  // namespace

Connection::Connection(const Surroundings& surroundings, Descriptor fd, std::unique_ptr<TlsStream> tls)
    : around_(surroundings),
      fd_(std::move(fd)),
      tls_(std::move(tls)),
      address_(peer_address(fd_.get(), port_)),
      peer_{address_, tls_ != nullptr, address_.empty() && is_local_socket(fd_.get()), port_} {}

Connection::~Connection() = default;

bool Connection::start(SessionMaker& maker) {
  session_ = maker.make(peer_);
  active_ms_ = message_ms_ = around_.loop.now_ms();
  watched_ = EPOLLIN;
  if (!around_.loop.watch(fd_.get(), watched_, *this)) return false;
  settle();
  return true;
}

void Connection::on_ready(uint32_t events) {
  if (state_ == State::kLingering) return drop_input();
  if ((events & EPOLLIN) == 0 && (events & (EPOLLERR | EPOLLHUP)) != 0) return fail();
  if (is_busy_) return watch_for(0);
  if ((events & EPOLLOUT) != 0) {
    send_pending();
    if (is_open() && pending_.has_room()) answer_kept();
  }
  if (is_open() && pending_.has_room() && ((events & EPOLLIN) != 0 || must_write_to_read_)) read_all();
  settle();
}

// A socket is read once: if there is more, the loop comes back, when all others had their turn. Of TLS that is a few
// records, and what OpenSSL has read ahead, for the loop does not know of it.
void Connection::read_all() {
  for (int reads = 1; read_once(); ++reads) {
    if (tls_ == nullptr || !is_open() || is_busy_ || !pending_.has_room()) return;
    if (reads >= kMostRecords && !tls_->has_read_ahead()) return;
  }
}

// Whether there may be more.
bool Connection::read_once() {
  char* const to = around_.loop.scratch();
  const Transferred got = read(to, Loop::kScratchBytes);
  must_write_to_read_ = got.result == Transfer::kWantWrite;
  switch (got.result) {
    case Transfer::kDone: break;
    case Transfer::kWantRead:
    case Transfer::kWantWrite: return false;
    case Transfer::kEnd:
      session_->on_end();
      state_ = State::kEnding;
      return false;
    case Transfer::kFailed: fail(); return false;
  }
  active_ms_ = around_.loop.now_ms();
  if (!has_read_) message_ms_ = active_ms_;
  has_read_ = true;
  if (input_.empty() && around_.fibers == nullptr) {
    answer({to, got.bytes});
  } else {
    input_.append(to, got.bytes);
    answer_kept();
  }
  return true;
}

void Connection::answer(std::string_view bytes) {
  is_speaking_ = true;
  const size_t done = converse(bytes, around_.outbox.output(), 0);
  if (is_open() && done < bytes.size()) input_.assign(bytes.substr(done));
  is_speaking_ = false;
}

void Connection::answer_kept() {
  if (input_.empty()) return;
  if (around_.fibers != nullptr) {
    is_busy_ = true;
    return around_.fibers->run(*this);
  }
  is_speaking_ = true;
  drop_front(converse(input_, around_.outbox.output(), 0));
  is_speaking_ = false;
}

void Connection::run(size_t seat) { consumed_ = converse(input_, pending_, seat); }

void Connection::on_end() {
  is_busy_ = false;
  if (state_ == State::kClosed) return around_.owner.on_closed(*this);
  drop_front(consumed_);
  settle();
}

void Connection::drop_front(size_t bytes) {
  input_.erase(0, bytes);
  if (input_.empty() && input_.capacity() > kKeptBytes) std::string().swap(input_);
}

// How much the session consumed. It stops at the start of a message that has yet to end, or when the other end does not
// take its replies. `idle` is what it writes to while nothing is pending.
size_t Connection::converse(std::string_view bytes, Output& idle, size_t seat) {
  size_t done = 0;
  for (;;) {
    Output& output = pending_.empty() ? idle : pending_;
    if (pending_.empty()) taken_ms_ = around_.loop.now_ms();
    const size_t size_before = output.size();
    const Consumed consumed = session_->on_bytes(bytes.substr(done), {output, seat});
    done += consumed.bytes;
    if (consumed.bytes > 0) message_ms_ = 0;
    const bool was_full = !output.has_room();
    if (consumed.next == Next::kClose) state_ = State::kEnding;
    if (&output == &pending_) {
      send_pending();
    } else {
      hand_over(output.size() - size_before, was_full);
    }
    const bool may_go_on = is_open() && was_full && pending_.has_room();
    if (!may_go_on || done == bytes.size()) return done;
  }
}

// Replies wait for the end of the turn, unless something else waits for them.
void Connection::hand_over(size_t bytes, bool at_once) {
  if (bytes == 0) return;
  in_outbox_ += bytes;
  around_.outbox.add(*this, bytes);
  if (at_once || tls_ != nullptr || !is_open()) around_.outbox.flush();
}

void Connection::deliver(std::string_view bytes) {
  in_outbox_ -= bytes.size();
  if (state_ == State::kClosed) return;
  pending_.append(pending_.empty() ? send(bytes) : bytes);
  settle();
}

void Connection::send_pending() {
  pending_.drop_front(pending_.size() - send(pending_.bytes()).size());
  if (pending_.empty()) pending_.release();
}

// What the other end does not take now: to be kept for later.
std::string_view Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const Transferred sent = write(bytes);
    if (sent.result == Transfer::kWantRead || sent.result == Transfer::kWantWrite) break;
    if (sent.result != Transfer::kDone) {
      fail();
      return {};
    }
    bytes.remove_prefix(sent.bytes);
    taken_ms_ = around_.loop.now_ms();
  }
  return bytes;
}

Transferred Connection::read(char* to, size_t size) {
  if (tls_ != nullptr) return tls_->read(to, size);
  const ssize_t got = recv(fd_.get(), to, size, 0);
  if (got > 0) return {Transfer::kDone, static_cast<size_t>(got)};
  if (got == 0) return {Transfer::kEnd, 0};
  return would_block_or_failed(Transfer::kWantRead);
}

Transferred Connection::write(std::string_view bytes) {
  if (tls_ != nullptr) return tls_->write(bytes);
  const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {Transfer::kDone, static_cast<size_t>(sent)};
  return would_block_or_failed(Transfer::kWantWrite);
}

// After every event: what to wait for next, and until when.
void Connection::settle() {
  if (state_ == State::kClosed) return;
  // It is settled after that.
  if (is_busy_ || is_speaking_ || in_outbox_ > 0) return;
  if (state_ == State::kEnding && pending_.empty()) return linger();
  if (is_draining_ && is_quiet()) return close();
  const bool may_read = is_open() && pending_.has_room();
  const bool must_write = !pending_.empty() || must_write_to_read_;
  watch_for((may_read ? EPOLLIN : 0U) | (must_write ? EPOLLOUT : 0U));
  const bool is_between = has_read_ && input_.empty();
  if (is_between) {
    message_ms_ = 0;
  } else if (message_ms_ == 0) {
    message_ms_ = around_.loop.now_ms();
  }
  if (session_->knows_peer()) {
    stranger_ms_ = 0;
  } else if (stranger_ms_ == 0) {
    stranger_ms_ = around_.loop.now_ms();
  }
  const int64_t by = deadline();
  if (by == kNever || (timer_ms_ != 0 && timer_ms_ <= by)) return;
  timer_ms_ = by;
  around_.loop.timers().set(*this, by);
}

int64_t Connection::deadline() const {
  const Patience& patience = around_.patience;
  // Whoever is asked meanwhile has time-outs of its own.
  if (is_busy_) return kNever;
  if (state_ == State::kLingering) return taken_ms_ + kLingerMs;
  const int64_t by = deadline_of_strangers();
  if (!pending_.empty()) return std::min(by, after(taken_ms_, patience.write_ms));
  const bool is_shaking_hands = tls_ != nullptr && !tls_->has_shaken_hands();
  if (message_ms_ != 0)
    return std::min(by, after(message_ms_, has_read_ || is_shaking_hands ? patience.message_ms : patience.idle_ms));
  return std::min(by, after(active_ms_, patience.idle_ms));
}

// Whatever they say meanwhile: else anybody could keep all connections that there may be.
int64_t Connection::deadline_of_strangers() const {
  return stranger_ms_ == 0 ? kNever : after(stranger_ms_, around_.patience.message_ms);
}

void Connection::on_time(int64_t now_ms) {
  timer_ms_ = 0;
  const int64_t by = deadline();
  if (by > now_ms) {
    if (by == kNever) return;
    timer_ms_ = by;
    return around_.loop.timers().set(*this, by);
  }
  if (state_ != State::kLingering) around_.traffic.timed_out.fetch_add(1, std::memory_order_relaxed);
  close();
}

void Connection::drain() {
  is_draining_ = true;
  session_->on_drain();
  // A request that has come and was not read yet is under way too.
  if (is_open() && is_quiet()) read_all();
  settle();
}

// Whoever ended first, the other end should read all of it: so the socket is closed only when it has nothing more to
// say.
void Connection::linger() {
  if (tls_ != nullptr) tls_->finish();
  if (shutdown(fd_.get(), SHUT_WR) != 0) return close();
  state_ = State::kLingering;
  input_.clear();
  taken_ms_ = around_.loop.now_ms();
  watch_for(EPOLLIN);
  timer_ms_ = taken_ms_ + kLingerMs;
  around_.loop.timers().set(*this, timer_ms_);
}

void Connection::drop_input() {
  const ssize_t got = recv(fd_.get(), around_.loop.scratch(), Loop::kScratchBytes, 0);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close();
}

void Connection::watch_for(uint32_t events) {
  if (events == watched_) return;
  watched_ = events;
  around_.loop.change(fd_.get(), events, *this);
}

void Connection::fail() {
  if (state_ == State::kClosed) return;
  around_.traffic.failed.fetch_add(1, std::memory_order_relaxed);
  close();
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  around_.loop.timers().cancel(*this);
  around_.loop.forget(fd_.get());
  if (!is_busy_) around_.owner.on_closed(*this);
}

}  // namespace sluice::net
