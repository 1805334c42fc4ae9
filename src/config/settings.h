// All settings of `sluice serve`, as the rest of the program reads them. A plain value: load.h fills it by the table.
// A new setting is a member here and a row in table.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "config/address.h"
#include "config/quantity.h"
#include "config/secret.h"
#include "config/source.h"

namespace sluice::config {

enum class LogFormat : uint8_t { kText, kJson };
// Which violations go when there is no more room for those that wait.
enum class SpillDrops : uint8_t { kOldest, kNewest };
enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError };

struct Settings {
  std::filesystem::path config;  // empty: there is no file
  Source rules;                  // empty: the database in data_dir
  std::string store;             // `memory`, or a URL of Redis, which may hold a password
  std::filesystem::path data_dir;
  bool demo = false;
  int64_t loops = 0;  // 0: as many as there are cores
  std::chrono::milliseconds drain_timeout{};

  struct {
    Addresses listen;
    Secret token;  // empty: for everybody
    bool tls = false;
    std::chrono::milliseconds idle_timeout{};  // 0: never
    Bytes max_header_bytes;
    Bytes max_body_bytes;
    int64_t max_batch = 0;
    int64_t decision_status = 0;
  } http;

  struct {
    Addresses listen;
    Secret token;
    bool tls = false;
    std::chrono::milliseconds idle_timeout{};
    Bytes max_command_bytes;
    int64_t max_arguments = 0;
  } resp;

  struct {
    Addresses listen;
  } grpc;

  struct {
    Addresses listen;
    Secret token;
    NamedSecrets tokens;  // beside it, for several people or programs
    bool tls = false;
  } admin;

  struct {
    std::filesystem::path certificate;
    std::filesystem::path key;
  } tls;

  struct {
    int64_t max = 0;
    std::chrono::milliseconds message_timeout{};
    std::chrono::milliseconds write_timeout{};
  } connections;

  struct {
    Bytes max_bytes;
    bool huge_pages = false;
  } memory;

  struct {
    std::chrono::milliseconds timeout{};
    std::string prefix;
    bool deny_cache = false;
    std::filesystem::path ca;  // empty: whom the system trusts
  } redis;

  struct {
    bool record = false;
    Source in;  // a database; empty: that of the rules, where they are in one
    std::chrono::milliseconds interval{};
    std::chrono::milliseconds keep{};  // 0: for ever
    int64_t max_rows = 0;              // 0: any number
    Bytes max_spill_bytes;
    SpillDrops spill_drops = SpillDrops::kOldest;
  } violations;

  struct {
    LogFormat format = LogFormat::kText;
    LogLevel level = LogLevel::kInfo;
  } log;

  struct {
    int64_t size = 0;
  } top_keys;
};

}  // namespace sluice::config
