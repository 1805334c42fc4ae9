#include "audit/spill.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

namespace sluice::audit {
namespace {

constexpr std::string_view kSuffix = ".batches";
constexpr mode_t kForUsAlone = 0700;
// A sixteenth is lost at most when the oldest must go, and a file is read at one time.
constexpr uint64_t kFiles = 16;
constexpr uint64_t kLargestFile = uint64_t{8} << 20;

// Numbers with all their digits: names sort as they do.
std::string name_of(int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(20 - std::min<size_t>(digits.size(), 20), '0') + digits + std::string(kSuffix);
}

sql::Outcome<File> lock_folder(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lock";
  auto file = open_file(path, O_RDWR | O_CREAT);
  if (!file) return file;
  if (flock(file->fd(), LOCK_EX | LOCK_NB) == 0) return file;
  sql::Fault fault = fault_of("lock", path);
  fault.hint = "another process spills there; give each its own folder";
  return fault;
}

}  // namespace

sql::Outcome<std::unique_ptr<Spill>> Spill::open(const Options& options) {
  if (mkdir(options.folder.c_str(), kForUsAlone) != 0 && errno != EEXIST) return fault_of("make", options.folder);
  auto lock = lock_folder(options.folder);
  if (!lock) return lock.fault();
  auto writer = WriterName::load(options.folder);
  if (!writer) return writer.fault();
  std::unique_ptr<Spill> spill(new Spill(options, std::move(*lock), std::move(*writer)));
  if (auto done = spill->find_files(); !done) return done.fault();
  return spill;
}

sql::Outcome<sql::Done> Spill::find_files() {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator at(options_.folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == kSuffix) paths.push_back(at->path());
  }
  if (error)
    return sql::Fault{sql::Trouble::kBroken, "cannot list " + options_.folder.string() + ": " + error.message()};
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    auto file = SpillFile::reopen(path);
    if (!file) return file.fault();
    cut_bytes_ += file->cut_bytes();
    if (file->left().rows == 0) {
      file->remove();
      continue;
    }
    left_ += file->left();
    bytes_ += file->bytes();
    files_.push_back(std::move(*file));
  }
  return sql::Done{};
}

sql::Outcome<Tally> Spill::add(const Batch& batch) {
  const std::string record = SpillFile::record_of(batch);
  const Tally tally = Tally::of(batch);
  Tally gone;
  while (bytes_ + record.size() > options_.bytes) {
    if (options_.drop == Drop::kNewest || files_.empty()) {
      return sql::Fault{sql::Trouble::kFull, "the spill in " + options_.folder.string() + " has reached its bound"};
    }
    gone += drop_oldest_file();
  }
  const uint64_t largest = std::min(options_.bytes / kFiles, kLargestFile);
  if (!is_last_open_ || files_.back().bytes() + record.size() > largest) {
    if (auto done = begin_file(batch.number); !done) return done.fault();
  }
  if (auto done = files_.back().add(record, tally); !done) {
    if (files_.back().bytes() == 0) {
      files_.back().remove();
      files_.pop_back();
      is_last_open_ = false;
    }
    return done.fault();
  }
  bytes_ += record.size();
  left_ += tally;
  return gone;
}

sql::Outcome<sql::Done> Spill::begin_file(int64_t number) {
  auto file = SpillFile::create(options_.folder / name_of(number));
  if (!file) return file.fault();
  files_.push_back(std::move(*file));
  is_last_open_ = true;
  return sql::Done{};
}

Tally Spill::drop_oldest_file() {
  const SpillFile& oldest = files_.front();
  const Tally gone = oldest.left();
  left_ -= gone;
  bytes_ -= oldest.bytes();
  oldest.remove();
  files_.pop_front();
  front_ = nullptr;
  if (files_.empty()) is_last_open_ = false;
  return gone;
}

sql::Outcome<std::shared_ptr<const Batch>> Spill::front() {
  if (front_ == nullptr) {
    auto batch = files_.front().front();
    if (!batch) return batch.fault();
    front_ = std::make_shared<const Batch>(std::move(*batch));
  }
  return front_;
}

Tally Spill::give_up() { return drop_oldest_file(); }

void Spill::pop(const Batch& batch) {
  if (front_.get() != &batch) return;
  files_.front().pass();
  left_ -= Tally::of(batch);
  front_ = nullptr;
  if (files_.front().left().rows == 0) drop_oldest_file();
}

}  // namespace sluice::audit
