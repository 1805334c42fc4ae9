#include "rules/language/table.h"

#include <algorithm>

namespace sluice::rules::language {
namespace {

using enum ValueType;

constexpr std::string_view kModes[] = {"enforce", "shadow"};
constexpr std::string_view kAlgorithms[] = {"token_bucket", "leaky_bucket",       "leaky_queue",
                                            "fixed_window", "sliding_window_log", "sliding_window_counter"};
constexpr std::string_view kMissingKey[] = {"share", "skip", "deny"};
constexpr std::string_view kStoreFailure[] = {"allow", "deny", "local"};
constexpr std::string_view kLeases[] = {"off", "auto"};
constexpr std::string_view kScopes[] = {"user", "endpoint", "global", "ip"};
constexpr std::string_view kHeaderSets[] = {"ietf", "legacy", "x"};
constexpr std::string_view kForwardedHeaders[] = {"x-forwarded-for", "forwarded"};
constexpr std::string_view kJwtAlgorithms[] = {"HS256", "RS256", "ES256"};

// As the arithmetic has it: see include/sluice/limit.h.
constexpr Range kRate = {1e-9, 1e9, true};
constexpr Range kCapacity = {1e-6, 1e9, true};
constexpr Range kWindow = {1e-3, 3'162'240'000, true};
constexpr Range kBurstTime = {0, 3'162'240'000, true};
constexpr Range kCost = {0, 1e12, true};

constexpr FieldSpec kIsActive = {
    .name = "is_active", .type = kBool, .help = "What is not active is checked, and left out.", .fallback = "true"};

constexpr FieldSpec kFileFields[] = {
    {.name = "$schema", .help = "Where editors find the schema of this file; Sluice does not read it."},
    {.name = "description", .help = "For people."},
    {.name = "policies",
     .type = kObjects,
     .help = "Groups of rules, each for the requests its selector names.",
     .filled = true,
     .object = &kPolicySpec},
    {.name = "rules",
     .type = kObjects,
     .help = "Instead of policies: the rules of one policy, `default`, for every request. `[]` is no rules.",
     .object = &kRuleSpec},
    {.name = "kill_switches",
     .type = kObjects,
     .help = "Whom to deny at once, whatever the rules say.",
     .object = &kKillSwitchSpec},
    {.name = "trusted_proxies",
     .type = kStrings,
     .help = "Networks (CIDR) of the proxies whose word on the client's address is believed; nobody else's is. `unix` "
             "is whoever connects on a unix socket."},
    {.name = "forwarded_header",
     .type = kChoice,
     .help = "Which header those proxies write the address to.",
     .choices = kForwardedHeaders,
     .fallback = "\"x-forwarded-for\""},
    {.name = "jwt",
     .type = kObject,
     .help = "How bearer tokens are verified before their claims count.",
     .object = &kJwtSpec},
    {.name = "trust_upstream_jwt",
     .type = kBool,
     .help = "Whether a gateway has verified tokens already; the same as in `jwt`.",
     .fallback = "false"},
    {.name = "headers",
     .type = kChoices,
     .help = "Which sets of headers tell callers where they stand.",
     .choices = kHeaderSets,
     .fallback = "[\"ietf\", \"legacy\"]"},
};

constexpr FieldSpec kPolicyFields[] = {
    {.name = "id",
     .help = "Names the policy in answers, logs and metrics: 1 to 64 of A-Z a-z 0-9 . _ -, and unique.",
     .required = true},
    {.name = "mode",
     .type = kChoice,
     .help = "`shadow` decides and counts but rejects nobody, for all rules of the policy.",
     .choices = kModes,
     .fallback = "\"enforce\""},
    {.name = "description", .help = "For people."},
    {.name = "selector",
     .type = kObject,
     .help = "Which requests the policy is for; left out, for all.",
     .object = &kSelectorSpec},
    {.name = "rules",
     .type = kObjects,
     .help = "The rules, at least one.",
     .required = true,
     .filled = true,
     .object = &kRuleSpec},
    {.name = "kill_switches",
     .type = kObjects,
     .help = "Whom to deny at once, among the requests of this policy.",
     .object = &kKillSwitchSpec},
    kIsActive,
};

constexpr FieldSpec kSelectorFields[] = {
    {.name = "path", .help = "Exactly this path, however it is spelt; a query string does not count."},
    {.name = "pathExact", .help = "The same as `path`.", .alias_of = "path"},
    {.name = "path_exact", .help = "The same as `path`.", .alias_of = "path"},
    {.name = "pathPrefix", .help = "This path and all below it, by whole segments: /v1 and /v1/x, not /v1x."},
    {.name = "path_prefix", .help = "The same as `pathPrefix`.", .alias_of = "pathPrefix"},
    {.name = "methods", .type = kStrings, .help = "One of these methods.", .filled = true},
    {.name = "hosts",
     .type = kStrings,
     .help = "One of these hosts: a name, or `*.example.com` for every name below it.",
     .filled = true},
};

constexpr FieldSpec kRuleFields[] = {
    {.name = "name",
     .help = "Names the rule in answers, logs and metrics: 1 to 64 of A-Z a-z 0-9 . _ - : / { }, unique "
             "within its policy.",
     .required = true},
    {.name = "description", .help = "For people."},
    {.name = "mode",
     .type = kChoice,
     .help = "`shadow` decides and counts but rejects nobody.",
     .choices = kModes,
     .fallback = "\"enforce\""},
    {.name = "priority",
     .type = kInteger,
     .help = "Of rules with the same limit_keys the highest is asked first, then the first in the file.",
     .range = {-1e6, 1e6},
     .fallback = "0"},
    {.name = "limit_keys",
     .type = kSources,
     .help = "What has a bucket of its own: requests with the same values share one; [] is one bucket for all.",
     .required = true},
    {.name = "match", .type = kMatch, .help = "Conditions that must all hold for the rule to apply."},
    {.name = "algorithm",
     .type = kChoice,
     .help = "How requests are counted.",
     .choices = kAlgorithms,
     .fallback = "\"token_bucket\""},
    {.name = "algorithm_config",
     .type = kObject,
     .help = "The limit, and what a request costs.",
     .object = &kAlgorithmConfigSpec},
    {.name = "limits",
     .type = kObjects,
     .help = "Several limits on one key: a request passes all or takes from none.",
     .filled = true,
     .object = &kLimitSpec},
    {.name = "on_missing_key",
     .type = kChoice,
     .help = "What to do with requests that lack one of limit_keys: they `share` one bucket, the rule is `skip`ped, or "
             "they are `deny`ed.",
     .choices = kMissingKey,
     .fallback = "\"share\""},
    {.name = "on_store_failure",
     .type = kChoice,
     .help = "What to do while the store is away: `allow`, `deny`, or limit in memory (`local`).",
     .choices = kStoreFailure,
     .fallback = "\"allow\""},
    {.name = "lease",
     .type = kChoiceOr,
     .help = "Where a store is shared: whether a server may take tokens in advance and spend them without asking; "
             "`auto` takes as many as were needed lately. Buckets only, windows are always asked.",
     .choices = kLeases,
     .object = &kLeaseSpec,
     .fallback = "\"off\""},
    kIsActive,
};

constexpr FieldSpec kLeaseFields[] = {
    {.name = "tokens", .type = kNumber, .help = "How many are taken at a time.", .required = true, .range = kCapacity},
    {.name = "ttl_ms",
     .type = kInteger,
     .help = "How long they may wait to be spent before they go back.",
     .required = true,
     .range = {1, 600'000}},
};

constexpr FieldSpec kTableRowFields[] = {
    {.name = "key_pattern",
     .help = "What has a bucket of its own: `user:{user_id}`, `ip:{ip}`, `endpoint:/api/search` or `global`.",
     .required = true},
    {.name = "scope", .type = kChoice, .help = "What the pattern is about; must agree with it.", .choices = kScopes},
    {.name = "rate_per_second",
     .type = kNumber,
     .help = "Tokens that come back per second.",
     .required = true,
     .range = kRate},
    {.name = "burst_capacity",
     .type = kNumber,
     .help = "Tokens a full bucket holds.",
     .required = true,
     .range = kCapacity},
    {.name = "plan",
     .help = "Only for callers whose attribute `plan` is this; null: for all that have no row of their own.",
     .nullable = true},
    kIsActive,
    {.name = "description", .help = "For people.", .nullable = true},
};

// Shared by a rule's algorithm_config and the entries of its limits.
constexpr FieldSpec kTokensPerSecond = {
    .name = "tokens_per_second", .type = kNumber, .help = "Buckets: tokens that come back per second.", .range = kRate};
constexpr FieldSpec kRps = {.name = "rps",
                            .type = kNumber,
                            .help = "The same as `tokens_per_second`.",
                            .alias_of = "tokens_per_second",
                            .range = kRate};
constexpr FieldSpec kBurst = {.name = "burst",
                              .type = kNumber,
                              .help = "Buckets: tokens a full one holds, that is, how much may come at once.",
                              .range = kCapacity};
constexpr FieldSpec kBurstSeconds = {
    .name = "burst_seconds",
    .type = kNumber,
    .help = "Buckets, instead of burst: a full one holds what comes back in so many seconds.",
    .range = kBurstTime};
constexpr FieldSpec kLimit = {
    .name = "limit", .type = kNumber, .help = "Windows: tokens that may be taken in one.", .range = kCapacity};
constexpr FieldSpec kWindowSeconds = {.name = "window_seconds",
                                      .type = kNumber,
                                      .help = "Windows: how long one is, from a millisecond to 36600 days.",
                                      .range = kWindow};

constexpr FieldSpec kAlgorithmConfigFields[] = {
    kTokensPerSecond,
    kRps,
    kBurst,
    kBurstSeconds,
    kLimit,
    kWindowSeconds,
    {.name = "cost_source",
     .help = "Where a request says what it costs: `fixed`, `header:<name>` or `query:<name>`.",
     .fallback = "\"fixed\""},
    {.name = "fixed_cost",
     .type = kNumber,
     .help = "What every request costs where cost_source is fixed.",
     .range = kCost,
     .fallback = "1"},
    {.name = "default_cost",
     .type = kNumber,
     .help = "What a request costs whose source has no finite number above 0.",
     .range = kCost,
     .fallback = "1"},
    {.name = "max_cost", .type = kNumber, .help = "What a source says is cut to this.", .range = kCost},
};

constexpr FieldSpec kLimitFields[] = {
    {.name = "algorithm", .type = kChoice, .help = "Instead of the rule's.", .choices = kAlgorithms},
    kTokensPerSecond,
    kRps,
    kBurst,
    kBurstSeconds,
    kLimit,
    kWindowSeconds,
};

constexpr FieldSpec kConditionFields[] = {
    {.name = "equals", .type = kCondition, .help = "This value."},
    {.name = "one_of", .type = kCondition, .help = "One of these values.", .filled = true},
    {.name = "prefix",
     .type = kCondition,
     .help = "A value that begins, letter by letter, with this or with one of these.",
     .filled = true},
    {.name = "cidr",
     .type = kCondition,
     .help = "Only for ip:address: an address in this network, or in one of these.",
     .filled = true},
};

constexpr FieldSpec kKillSwitchFields[] = {
    {.name = "key", .type = kSource, .help = "Where the value is read from, like one of limit_keys.", .required = true},
    {.name = "value",
     .type = kCondition,
     .help = "Who is denied: a value, several, or an operator as in match.",
     .required = true,
     .filled = true,
     .object = &kConditionSpec},
    {.name = "expires_at",
     .type = kTime,
     .help = "Until when (RFC 3339, or unix seconds); left out, until it is taken out.",
     .range = {0, 253'402'300'799}},
    {.name = "reason", .help = "For people."},
};

constexpr FieldSpec kJwtFields[] = {
    {.name = "keys", .type = kObjects, .help = "Keys that tokens may be signed with.", .object = &kJwtKeySpec},
    {.name = "trust_upstream_jwt",
     .type = kBool,
     .help = "Whether a gateway has verified tokens already: claims then count without a signature.",
     .fallback = "false"},
    {.name = "leeway_seconds",
     .type = kInteger,
     .help = "How far clocks may differ on `exp` and `nbf`.",
     .range = {0, 86'400},
     .fallback = "0"},
    {.name = "issuer", .help = "What `iss` must be.", .filled = true},
    {.name = "audience", .help = "What `aud` must be or contain.", .filled = true},
};

constexpr FieldSpec kJwtKeyFields[] = {
    {.name = "algorithm",
     .type = kChoice,
     .help = "The only one the key is used with.",
     .required = true,
     .choices = kJwtAlgorithms},
    {.name = "id", .help = "The key's `kid`; left out, it is tried on every token.", .filled = true},
    {.name = "secret", .help = "HS256: the secret itself.", .filled = true},
    {.name = "secret_file",
     .help = "HS256: a file with it, beside this one; a line end behind it does not count.",
     .filled = true},
    {.name = "public_key", .help = "RS256, ES256: the public key in PEM.", .filled = true},
    {.name = "public_key_file", .help = "RS256, ES256: a file with it, beside this one.", .filled = true},
};

constexpr const ObjectSpec* kAllSpecs[] = {
    &kFileSpec,  &kPolicySpec,    &kSelectorSpec,   &kRuleSpec, &kLeaseSpec, &kTableRowSpec, &kAlgorithmConfigSpec,
    &kLimitSpec, &kConditionSpec, &kKillSwitchSpec, &kJwtSpec,  &kJwtKeySpec};

}  // namespace

constexpr ObjectSpec kFileSpec = {"file", "the file", "A rules file.", kFileFields};
constexpr ObjectSpec kPolicySpec = {"policy", "a policy", "Rules, and which requests they are for.", kPolicyFields};
constexpr ObjectSpec kSelectorSpec = {"selector", "a selector", "Every part that is there must hold.", kSelectorFields};
constexpr ObjectSpec kRuleSpec = {"rule", "a rule", "What is limited, for whom, and how.", kRuleFields, &kTableRowSpec};
constexpr ObjectSpec kLeaseSpec = {"lease", "a lease", "Tokens that a server takes in advance.", kLeaseFields};
constexpr ObjectSpec kTableRowSpec = {"table_row", "a rule in the table form", "A rule as the SQL table has it.",
                                      kTableRowFields, &kRuleSpec};
constexpr ObjectSpec kAlgorithmConfigSpec = {"algorithm_config", "algorithm_config",
                                             "A limit, and what a request costs.", kAlgorithmConfigFields};
constexpr ObjectSpec kLimitSpec = {"limit", "an entry of limits", "One of several limits on a key.", kLimitFields};
constexpr ObjectSpec kConditionSpec = {"condition", "a condition", "Exactly one operator.", kConditionFields};
constexpr ObjectSpec kKillSwitchSpec = {"kill_switch", "a kill switch", "Denies a value until it expires.",
                                        kKillSwitchFields};
constexpr ObjectSpec kJwtSpec = {"jwt", "jwt", "How bearer tokens are verified.", kJwtFields};
constexpr ObjectSpec kJwtKeySpec = {"jwt_key", "a key", "A key that tokens may be signed with.", kJwtKeyFields};

const FieldSpec* ObjectSpec::find(std::string_view field) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldSpec& f) { return f.name == field; });
  return found == fields.end() ? nullptr : &*found;
}

std::span<const ObjectSpec* const> all_specs() { return kAllSpecs; }

}  // namespace sluice::rules::language
