// Which rules apply to a request, on which buckets, at which cost. Compiled from a RuleSet once, then read by any
// number of threads; what a request needs in between is in an Evaluation, one for each thread (or each request under
// way).
//
// The time it takes grows with the rules that can match, not with those there are: docs/decisions/0006-matching.md.
#pragma once

#include <memory>

#include "rules/claims.h"
#include "rules/evaluation.h"
#include "rules/model.h"
#include "rules/request.h"

namespace sluice::rules {

class Matcher {
 public:
  explicit Matcher(std::shared_ptr<const RuleSet> rules);
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  // Leaves in `evaluation` what applies, in the order of the file. The request and its bytes must live as long as what
  // is read from it. `claims` may be nullptr: then no claim is known.
  Ruling match(const Request& request, const Now& now, ClaimSource* claims, Evaluation& evaluation) const;

  const RuleSet& rules() const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace sluice::rules
