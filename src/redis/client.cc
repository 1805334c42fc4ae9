#include "redis/client.h"

#include "redis/alarms.h"
#include "redis/cluster_router.h"
#include "redis/dispatch.h"
#include "redis/sentinel_router.h"
#include "redis/single_router.h"

namespace sluice::redis {
namespace {

std::string fault_of(const Options& options) {
  const std::string where = to_text(options.place) + ": ";
  if (options.place.addresses.empty()) return where + "there is no server to ask";
  if (options.place.is_encrypted && options.tls == nullptr) return where + "TLS is wanted, and nothing is known of it";
  if (options.connect_ms <= 0 || options.request_ms <= 0) return where + "times must be above 0 ms";
  return {};
}

std::unique_ptr<Router> make_router(const Surroundings& around, Dispatch& dispatch) {
  switch (around.options.place.kind) {
    case Kind::kSentinel: return std::make_unique<SentinelRouter>(around, dispatch);
    case Kind::kCluster: return std::make_unique<ClusterRouter>(around, dispatch);
    case Kind::kSingle: break;
  }
  return std::make_unique<SingleRouter>(around, around.options.place.addresses[0]);
}

}  // namespace

const char* to_text(Breaker breaker) {
  switch (breaker) {
    case Breaker::kClosed: return "closed";
    case Breaker::kHalfOpen: return "half-open";
    case Breaker::kOpen: return "open";
  }
  return "";
}

Client::Client(net::Loop& loop, const Options& options) : loop_(loop), options_(options) {}

std::variant<std::unique_ptr<Client>, std::string> Client::create(net::Loop& loop, const Options& options,
                                                                  StatusListener* listener) {
  if (std::string why = fault_of(options); !why.empty()) return why;
  std::unique_ptr<Client> client(new Client(loop, options));
  client->alarms_ = std::make_unique<Alarms>(loop);
  if (std::string why = client->alarms_->start(); !why.empty()) return why;
  client->dispatch_ = std::make_unique<Dispatch>(*client->alarms_, client->options_, listener);
  Dispatch& dispatch = *client->dispatch_;
  client->router_ = make_router({loop, *client->alarms_, client->options_, dispatch.counts, dispatch}, dispatch);
  dispatch.route_by(*client->router_);
  client->router_->start();
  dispatch.update_status();
  return client;
}

Client::~Client() {
  close();
  alarms_->close();
  router_.reset();
  dispatch_.reset();
  loop_.retire(std::move(alarms_));
}

bool Client::send(Request& request) { return dispatch_->send(request); }

bool Client::is_available(uint16_t slot) const {
  const Link* const link = router_->link_for(slot);
  return link != nullptr && link->is_available();
}

void Client::close() {
  if (dispatch_ == nullptr || router_ == nullptr) return;
  dispatch_->close();
  router_->close();
  dispatch_->update_status();
}

const Counts& Client::counts() const { return dispatch_->counts; }

Status Client::status() const { return dispatch_->board.read(); }

}  // namespace sluice::redis
