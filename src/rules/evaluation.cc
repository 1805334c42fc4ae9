#include "rules/evaluation.h"

#include "rules/evaluation_memory.h"

namespace sluice::rules {

Evaluation::Evaluation() : memory_(std::make_unique<EvaluationMemory>()) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

std::span<const Application> Evaluation::applied() const { return memory_->applied; }
const KillSwitch* Evaluation::kill_switch() const { return memory_->kill_switch; }
std::string_view Evaluation::killed_value() { return memory_->reader.value(memory_->killed_source); }
const Application& Evaluation::denied_by() const { return memory_->denied_by; }

std::span<const Application> Evaluation::denied_in_shadow() const { return memory_->denied_in_shadow; }

Origin Evaluation::origin() {
  Reader& reader = memory_->reader;
  return {reader.attribute("user_id"), reader.value(kAddressSource), reader.path()};
}

}  // namespace sluice::rules
