#include "net/server.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace sluice::net {

Server::~Server() { stop(); }

size_t Server::add(ServerDoor door) {
  doors_.push_back(std::make_unique<ServerDoor>(std::move(door)));
  return doors_.size() - 1;
}

std::string Server::start() {
  std::string why = open_everywhere();
  if (!why.empty()) {
    threads_.clear();
    return why;
  }
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[i]->thread = std::thread([thread = threads_[i].get()] { thread->run(); });
    pthread_setname_np(threads_[i]->thread.native_handle(), ("loop " + std::to_string(i)).c_str());
  }
  return {};
}

void Server::LoopThread::run() {
  if (resident != nullptr) resident->arrive();
  loop->run();
  if (resident != nullptr) resident->leave();
  if (fibers != nullptr) fibers->end_all();
}

std::string Server::add_loop() {
  auto made = Loop::create();
  if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
  const size_t number = threads_.size();
  threads_.push_back(std::make_unique<LoopThread>());
  LoopThread& thread = *threads_.back();
  thread.loop = std::move(std::get<std::unique_ptr<Loop>>(made));
  if (house_) {
    thread.fibers = std::make_unique<Fibers>(*thread.loop);
    thread.resident = house_(number, *thread.loop, *thread.fibers);
  }
  for (const auto& door : doors_) thread.makers.push_back(door->make(number));
  return {};
}

std::string Server::open_everywhere() {
  for (size_t i = 0; i < std::max<size_t>(count_, 1); ++i) {
    if (std::string why = add_loop(); !why.empty()) return why;
  }
  for (size_t door = 0; door < doors_.size(); ++door) {
    bound_.emplace_back();
    for (Descriptor& adopted : doors_[door]->adopted) {
      if (std::string why = listen_with_all(std::move(adopted), door); !why.empty()) return why;
    }
    for (const Endpoint& endpoint : doors_[door]->endpoints) {
      auto made = listen_on(endpoint);
      if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
      if (std::string why = listen_with_all(std::move(std::get<Descriptor>(made)), door); !why.empty()) return why;
    }
  }
  return {};
}

std::string Server::listen_with_all(Descriptor first, size_t door) {
  bound_[door].push_back(bound_to(first.get()));
  // The first socket is made into the listener of the last loop.
  for (size_t i = 0; i < threads_.size(); ++i) {
    Descriptor fd;
    if (i + 1 == threads_.size()) {
      fd = std::move(first);
    } else {
      auto made = listen_beside(first.get());
      if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
      fd = std::move(std::get<Descriptor>(made));
    }
    LoopThread& thread = *threads_[i];
    thread.listeners.push_back(std::make_unique<Listener>(Listener::Place{*thread.loop, thread.fibers.get()},
                                                          std::move(fd), doors_[door]->terms, *thread.makers[door]));
    if (!thread.listeners.back()->start()) return "cannot wait for connections at " + to_text(bound_[door].back());
  }
  return {};
}

uint64_t Server::open_connections() const {
  uint64_t open = 0;
  for (const auto& door : doors_) open += door->terms.traffic.open.load(std::memory_order_relaxed);
  return open;
}

bool Server::drain(int64_t patience_ms) {
  for (const auto& thread : threads_) {
    thread->loop->post([raw = thread.get()] {
      for (const auto& listener : raw->listeners) listener->drain();
    });
  }
  const int64_t end = monotonic_ms() + patience_ms;
  // Loops drain in their own time; looking from time to time is enough.
  while (open_connections() > 0 && monotonic_ms() < end) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return open_connections() == 0;
}

void Server::stop() {
  for (const auto& thread : threads_) thread->loop->stop();
  for (const auto& thread : threads_) {
    if (thread->thread.joinable()) thread->thread.join();
  }
  for (const auto& door : doors_) {
    for (const Endpoint& endpoint : door->endpoints) {
      if (endpoint.is_local() && !threads_.empty()) unlink(endpoint.path.c_str());
    }
  }
  threads_.clear();
}

}  // namespace sluice::net
