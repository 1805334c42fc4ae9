#include "sql/sqlite/faults.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace sluice::sql::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRightsHint = "give the user that runs Sluice the right to write it and its folder";
constexpr const char* kRoomHint = "make room on its disk; what was acknowledged is safe, and writing goes on by itself";

bool is_forbidden(int system_code) { return system_code == EACCES || system_code == EPERM || system_code == EROFS; }

Fault fault_of_constraint(const std::string& file, const Failure& failure) {
  switch (failure.code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return {Trouble::kDuplicate, file + " has such a row already: " + failure.words};
    default: return {Trouble::kRefused, file + " does not take this value: " + failure.words};
  }
}

Fault fault_of_input_output(const std::string& file, const Failure& failure) {
  if (is_no_room(failure.system_code)) return {Trouble::kFull, "there is no room to write " + file, kRoomHint};
  const std::string reason = failure.system_code != 0 ? std::strerror(failure.system_code) : failure.words;
  return {Trouble::kAway, file + " cannot be read or written: " + reason, "look into the system's log for its disk"};
}

Fault fault_of_writing(const std::string& file, const Failure& failure) {
  if (failure.code == SQLITE_READONLY_DBMOVED) {
    return {Trouble::kAway, file + " was moved or deleted while it was open", "it is opened anew at the next try"};
  }
  return {Trouble::kReadOnly, file + " may not be written", kRightsHint};
}

}  // namespace

bool is_no_room(int system_code) { return system_code == ENOSPC || system_code == EDQUOT || system_code == EFBIG; }

Fault fault_of(const std::string& file, const Failure& failure) {
  switch (failure.code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Trouble::kBusy, file + " is held by another program",
              "look for a transaction that was left open, in sqlite3 or a backup"};
    case SQLITE_INTERRUPT:
      return {Trouble::kBusy, file + " took too long to answer", "ask for less: a shorter time, fewer rows"};
    case SQLITE_READONLY: return fault_of_writing(file, failure);
    case SQLITE_PERM:
    case SQLITE_AUTH: return {Trouble::kReadOnly, file + " may not be opened", kRightsHint};
    case SQLITE_FULL: return {Trouble::kFull, "there is no room to write " + file, kRoomHint};
    case SQLITE_IOERR: return fault_of_input_output(file, failure);
    case SQLITE_CANTOPEN: return fault_of_opening(file, failure);
    case SQLITE_NOTADB:
      return {Trouble::kBroken, file + " is not a SQLite database", "name another file, or move this one away"};
    case SQLITE_CORRUPT:
      return {Trouble::kBroken, file + " is damaged: " + failure.words,
              "put a backup in its place, or save what can be read with the command .recover of sqlite3"};
    case SQLITE_CONSTRAINT: return fault_of_constraint(file, failure);
    case SQLITE_TOOBIG: return {Trouble::kRefused, "a value is longer than " + file + " can hold"};
    default: return {Trouble::kBroken, file + ": " + failure.words};
  }
}

Fault fault_of_opening(const std::string& file, const Failure& failure) {
  std::error_code error;
  const fs::path path(file);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (fs::is_directory(path, error)) {
    return {Trouble::kBroken, file + " is a folder", "name a file in it: " + (path / "sluice.db").string()};
  }
  const bool is_no_folder = fs::exists(folder, error) && !fs::is_directory(folder, error);
  if (is_forbidden(failure.system_code) && !is_no_folder) {
    return {Trouble::kReadOnly, file + " may not be opened: " + std::strerror(failure.system_code), kRightsHint};
  }
  if (!fs::is_directory(folder, error)) {
    return {Trouble::kAway, "there is no folder " + folder.string() + " for " + file, "make it, or name another"};
  }
  if (!fs::exists(path, error)) return {Trouble::kAway, "there is no file " + file, "check how it is spelt"};
  const std::string reason = failure.system_code != 0 ? std::strerror(failure.system_code) : failure.words;
  return {Trouble::kAway, file + " cannot be opened: " + reason, kRightsHint};
}

}  // namespace sluice::sql::sqlite
