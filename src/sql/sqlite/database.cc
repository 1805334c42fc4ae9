#include "sql/sqlite/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "sql/sqlite/faults.h"
#include "sql/sqlite/statement.h"

namespace sluice::sql::sqlite {
namespace {

namespace fs = std::filesystem;

// How often a statement at work looks at the clock, in SQLite's own small steps: about every millisecond.
constexpr int kStepsBetweenLooks = 20'000;
// A commit is on the disk before it is acknowledged. The log goes into the file every 16 MB, and is cut back to 64 MB
// after a reader that held it up for long. A batch of violations touches some ten megabytes of pages of the indexes,
// which must not go to the disk and back before it ends.
constexpr const char* kSettings =
    "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;"
    "PRAGMA cache_size = -32768";

// Makes the last folder only: a whole path of new folders is more likely a slip of the pen. Returns errno; SQLite,
// which looks for a file to read where it may not make one, would only say that there is none.
int prepare_folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno;
  const bool is_there = access(path.c_str(), F_OK) == 0;
  return is_there || access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

// Who asked for what is nobody else's business; the log's files get the rights of the file from SQLite. One that is
// there keeps its own, and is not even opened: closing it would end the locks that this process has on it.
void make_private(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
}

std::string as_uri_of_what_never_changes(const fs::path& path) {
  std::string uri = "file:";
  for (const char letter : path.native()) {
    static constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(letter);
    if (std::string_view("%?#").find(letter) == std::string_view::npos) {
      uri += letter;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri + "?immutable=1";
}

// Nanoseconds since 1970, in steps of the system's timer; 0 if nobody can tell.
int64_t last_write_of(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return 0;
  return status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec;
}

}  // namespace

void Database::Closer::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Database::~Database() = default;

int Database::is_late(void* database) { return Clock::now() > static_cast<Database*>(database)->deadline_ ? 1 : 0; }

Fault Database::fault(int code) const {
  // SQLite does not keep what went wrong with the log; errno, which was 0 before, still has it.
  const int system_code = is_no_room(errno) ? errno : sqlite3_system_errno(connection_.get());
  return fault_of(path_, {code, system_code, sqlite3_errmsg(connection_.get())});
}

Outcome<std::unique_ptr<Database>> Database::open(const std::string& path, const Options& options) {
  if (path.empty()) return Fault{Trouble::kBroken, "no file is named", "name one, such as sluice-data/sluice.db"};
  if (path.find('\0') != std::string::npos) return Fault{Trouble::kBroken, "the name of the file has a zero byte"};
  std::unique_ptr<Database> database(new Database(path, options));
  // Of a name that begins with a colon SQLite would make a database in memory; of an absolute one never.
  const fs::path absolute = fs::absolute(path);
  const bool writes = options.access != Access::kReadOnly;
  const bool makes = options.access == Access::kWrite;
  std::error_code ignored;
  if (options.access == Access::kWriteExisting && !fs::exists(absolute, ignored)) {
    return Fault{Trouble::kAway, path + " is not there any more",
                 "bring it back, or start the server again for a new one"};
  }
  if (const int error = makes ? prepare_folder_of(absolute) : 0; error != 0) {
    return fault_of_opening(path, {SQLITE_CANTOPEN, error, ""});
  }
  if (makes) make_private(absolute);
  const int flags = (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | (makes ? SQLITE_OPEN_CREATE : 0);
  if (auto opened = database->connect_and_configure(flags); !opened) return opened.fault();
  return database;
}

Outcome<Done> Database::connect_and_configure(int flags) {
  unchanged_since_.reset();
  if (auto opened = connect(fs::absolute(path_).native(), flags); !opened) return opened;
  auto configured = configure();
  if (configured || options_.access != Access::kReadOnly) return configured;
  return connect_to_what_never_changes(configured.fault());
}

Outcome<Done> Database::connect(const std::string& name, int flags) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (code == SQLITE_NOMEM || connection == nullptr) return Fault{Trouble::kBroken, "no memory to open " + path_};
  sqlite3_extended_result_codes(connection, 1);
  if (code != SQLITE_OK) {
    return fault_of_opening(path_, {code, sqlite3_system_errno(connection), sqlite3_errmsg(connection)});
  }
  sqlite3_busy_timeout(connection, static_cast<int>(options_.longest_wait.count()));
  sqlite3_progress_handler(connection, kStepsBetweenLooks, &is_late, this);
  // Nothing that is asked of it can damage the file.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return Done{};
}

// A file in the log mode, in a folder where this process may not make the log's files, can be read only as one that
// never changes. It is one indeed while there is no log and nobody writes it: see check_in_place.
Outcome<Done> Database::connect_to_what_never_changes(const Fault& otherwise) {
  const fs::path absolute = fs::absolute(path_);
  std::error_code error;
  const bool is_readable = fs::exists(absolute, error) && otherwise.trouble != Trouble::kBroken;
  if (!is_readable || fs::exists(absolute.native() + "-wal", error)) return otherwise;
  // Looked at before it is read: a change in between is then noticed, at worst once too often.
  unchanged_since_ = last_write_of(absolute);
  const std::string uri = as_uri_of_what_never_changes(absolute);
  if (auto opened = connect(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI); !opened) return opened;
  return configure();
}

Outcome<Done> Database::configure() {
  // The first touch of the file: opening alone reads nothing of it.
  if (auto version = number("PRAGMA schema_version"); !version) return version.fault();
  if (options_.access == Access::kReadOnly) return Done{};
  // SQLite opens what it may not write for reading, and says so only here.
  if (sqlite3_db_readonly(connection_.get(), "main") == 1) {
    return fault_of(path_, {SQLITE_READONLY, 0, "it may only be read"});
  }
  return execute(kSettings);
}

// Two that open a new file at once are in each other's way here, and SQLite does not wait by itself.
Outcome<Done> Database::use_write_ahead_log() {
  const auto deadline = Clock::now() + options_.longest_wait;
  for (;;) {
    Statement change = prepare("PRAGMA journal_mode = WAL");
    auto row = change.step();
    if (row && change.text(0) == "wal") return Done{};
    if (row) return Fault{Trouble::kBroken, path_ + " cannot have a write-ahead log", "put it on a local disk"};
    if (row.fault().trouble != Trouble::kBusy || Clock::now() > deadline) return row.fault();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Statement Database::prepare(std::string_view sql) { return Statement(*this, sql); }

Outcome<Done> Database::execute(const char* sql) {
  start_clock();
  errno = 0;
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fault(code);
  return Done{};
}

Outcome<int64_t> Database::number(const char* sql) {
  Statement statement = prepare(sql);
  auto row = statement.step();
  if (!row) return row.fault();
  return *row ? statement.integer(0) : 0;
}

int64_t Database::changed_rows() const { return sqlite3_changes64(connection_.get()); }

bool Database::is_in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

bool Database::others_changed_it() const {
  return *unchanged_since_ != last_write_of(path_) || ::access((path_ + "-wal").c_str(), F_OK) == 0;
}

Outcome<Done> Database::check_in_place() {
  int has_moved = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
  if (has_moved != 0) return fault_of(path_, {SQLITE_READONLY_DBMOVED, 0, ""});
  if (unchanged_since_ && others_changed_it()) return connect_and_configure(SQLITE_OPEN_READONLY);
  return Done{};
}

}  // namespace sluice::sql::sqlite
