// Event loops with a thread each, and the doors that are open on all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/endpoint.h"
#include "net/fibers.h"
#include "net/listener.h"
#include "net/loop.h"
#include "net/session.h"

namespace sluice::net {

// One door: where it listens, and who answers there.
struct ServerDoor {
  Listener::Door terms;
  std::vector<Endpoint> endpoints;
  // Listening already, handed over by whoever started this process.
  std::vector<Descriptor> adopted;
  // For the loop of that number, used by its thread.
  std::function<std::unique_ptr<SessionMaker>(size_t loop)> make;
};

// What lives on a loop beside its doors, and may keep those who speak there waiting: a client of another server.
class Resident {
 public:
  virtual ~Resident() = default;
  // On the loop's thread, before anything else.
  virtual void arrive() = 0;
  // Likewise, when the loop has ended: nobody may wait for it any longer.
  virtual void leave() = 0;
};

// Thread-safe but for start() and its end.
class Server {
 public:
  // That many threads, one at least.
  explicit Server(size_t loops) : count_(loops) {}
  // Stops at once.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Before start(). The number of the door.
  size_t add(ServerDoor door);
  // Before start(): a resident for each loop, made before its doors, which then speak on fibers.
  void house(std::function<std::unique_ptr<Resident>(size_t loop, Loop&, Fibers&)> make) { house_ = std::move(make); }

  // Listens everywhere, then lets the threads go. Empty, or what failed first; then nothing listens.
  std::string start();

  // Where a door listens, with the ports that the kernel chose.
  const std::vector<Endpoint>& endpoints(size_t door) const { return bound_[door]; }

  // Takes no more connections in and waits until those that are have ended, or the time is up. Whether all ended.
  bool drain(int64_t patience_ms);
  void stop();

  size_t loops() const { return count_; }
  // On that loop's thread, at its next turn.
  void post(size_t loop, std::function<void()> task) { threads_[loop]->loop->post(std::move(task)); }

 private:
  // What one thread runs.
  struct LoopThread {
    void run();

    std::unique_ptr<Loop> loop;
    std::unique_ptr<Fibers> fibers;
    std::unique_ptr<Resident> resident;
    std::vector<std::unique_ptr<SessionMaker>> makers;
    std::vector<std::unique_ptr<Listener>> listeners;
    std::thread thread;
  };

  std::string open_everywhere();
  std::string add_loop();
  std::string listen_with_all(Descriptor first, size_t door);
  uint64_t open_connections() const;

  const size_t count_;
  std::vector<std::unique_ptr<ServerDoor>> doors_;
  std::function<std::unique_ptr<Resident>(size_t loop, Loop&, Fibers&)> house_;
  std::vector<std::vector<Endpoint>> bound_;
  std::vector<std::unique_ptr<LoopThread>> threads_;
};

}  // namespace sluice::net
