#include "scenario/homes.h"

#include "scenario/algorithms_home.h"
#include "scenario/http_home.h"
#include "scenario/library_homes.h"
#include "scenario/resp_home.h"
#include "scenario/rules_home.h"

namespace sluice::scenario {
namespace {

constexpr HomeEntry kHomes[] = {
    {"Algorithms", [] { return std::unique_ptr<Home>(new AlgorithmsHome(AlgorithmsHome::FullBuckets::kKept)); }},
    {"AlgorithmsForgettingFullBuckets",
     [] { return std::unique_ptr<Home>(new AlgorithmsHome(AlgorithmsHome::FullBuckets::kForgotten)); }},
    {"MemoryStore", [] { return std::unique_ptr<Home>(new MemoryHome); }},
    {"Limiter", [] { return std::unique_ptr<Home>(new LimiterHome); }},
    {"Rules", [] { return std::unique_ptr<Home>(new RulesHome); }},
    {"Resp", [] { return std::unique_ptr<Home>(new RespHome); }},
    {"Http", [] { return std::unique_ptr<Home>(new HttpHome); }},
};

}  // namespace

std::span<const HomeEntry> homes() { return kHomes; }

}  // namespace sluice::scenario
