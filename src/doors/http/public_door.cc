#include "doors/http/public_door.h"

#include "doors/openapi.h"

namespace sluice::doors::http {
namespace {

constexpr std::string_view kIndex =
    R"({"name":"Sluice","about":"rate limiting by token bucket",)"
    R"("paths":["/v1/check","/v1/check/batch","/v1/peek","/v1/refund","/v1/reserve","/v1/settle","/v1/decision",)"
    R"("/openapi.json"]})";

void send_index(const Request&, const net::Peer&, Response& response) {
  response.send({200, kJsonMediaType, {}, kIndex});
}

void send_openapi(const Request&, const net::Peer&, Response& response) {
  response.send({200, kJsonMediaType, {}, openapi_document()});
}

}  // namespace

// One seat: its desk, and the routes with their memory.
class PublicDoor::Room {
 public:
  Room(LoopDesk& desk, const PublicSettings& settings)
      : desk_(desk),
        http_desk_(desk_),
        check_(http_desk_, settings.most_items),
        decision_(http_desk_, settings.decision),
        hall_(Router(settings.access, routes()), settings.limits) {}

  Hall& hall() { return hall_; }

 private:
  std::vector<Route> routes();
  Handler measured(Handler handler);

  Desk desk_;
  HttpDesk http_desk_;
  CheckRoutes check_;
  DecisionRoute decision_;
  Hall hall_;
};

PublicDoor::PublicDoor(LoopDesk& desk, const PublicSettings& settings) : desk_(desk), settings_(settings) {}

PublicDoor::~PublicDoor() = default;

std::unique_ptr<net::Session> PublicDoor::make(const net::Peer& peer) {
  return std::make_unique<Session>(static_cast<Halls&>(*this), peer);
}

Hall& PublicDoor::at(size_t seat) {
  if (seat >= rooms_.size()) rooms_.resize(seat + 1);
  if (rooms_[seat] == nullptr) rooms_[seat] = std::make_unique<Room>(desk_, settings_);
  return rooms_[seat]->hall();
}

Handler PublicDoor::Room::measured(Handler handler) {
  return [this, handler = std::move(handler)](const Request& request, const net::Peer& peer, Response& response) {
    http_desk_.begin();
    handler(request, peer, response);
    http_desk_.end();
  };
}

std::vector<Route> PublicDoor::Room::routes() {
  using stores::Action;
  const auto check = [this](Action action) {
    return measured([this, action](const Request& request, const net::Peer&, Response& response) {
      check_.check(request, action, response);
    });
  };
  return {
      {"/v1/decision", {}, measured([this](const Request& request, const net::Peer& peer, Response& response) {
         decision_.decide(request, peer, response);
       })},
      {"/v1/check", {"POST"}, check(Action::kTake)},
      {"/v1/check/batch", {"POST"}, measured([this](const Request& request, const net::Peer&, Response& response) {
         check_.batch(request, response);
       })},
      {"/v1/peek", {"POST"}, check(Action::kPeek)},
      {"/v1/refund", {"POST"}, measured([this](const Request& request, const net::Peer&, Response& response) {
         check_.refund(request, response);
       })},
      {"/v1/reserve", {"POST"}, measured([this](const Request& request, const net::Peer&, Response& response) {
         check_.reserve(request, response);
       })},
      {"/v1/settle", {"POST"}, measured([this](const Request& request, const net::Peer&, Response& response) {
         check_.settle(request, response);
       })},
      {"/openapi.json", {"GET"}, send_openapi},
      {.path = "/", .methods = {"GET"}, .handler = send_index, .is_open = true},
  };
}

}  // namespace sluice::doors::http
