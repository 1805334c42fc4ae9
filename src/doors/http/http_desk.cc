#include "doors/http/http_desk.h"

#include <algorithm>

namespace sluice::doors::http {

std::span<const Field> HttpDesk::fields_of(const limiter::Answer& answer) {
  desk_.headers.render(answer, {desk_.worker.rules().headers, since_epoch_});
  const auto rendered = desk_.headers.fields();
  std::transform(rendered.begin(), rendered.end(), fields_.begin(), [](const HeaderField& field) {
    return Field{field.name, field.value};
  });
  return {fields_.data(), rendered.size()};
}

}  // namespace sluice::doors::http
