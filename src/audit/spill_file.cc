#include "audit/spill_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "audit/batch_codec.h"
#include "fingerprint/fingerprint.h"

namespace sluice::audit {
namespace {

constexpr uint32_t kMagic = 0x31425653;    // SVB1
constexpr uint32_t kMostBytes = 64 << 20;  // of a batch; a length beyond it is none

// For what a disk does to bytes, not against people: whoever may write here may write anything.
Fingerprint checksum_of(std::string_view bytes) {
  static const Fingerprinter kHash(Fingerprinter::Secret{}, true);
  return kHash(bytes);
}

sql::Fault damaged(const std::filesystem::path& path) {
  return {sql::Trouble::kBroken, path.string() + " was changed by somebody else, or its disk is failing"};
}

}  // namespace

struct SpillFile::Header {
  uint32_t magic;
  uint32_t size;
  Fingerprint checksum;
};

std::string SpillFile::record_of(const Batch& batch) {
  const std::string payload = encode(batch);
  const Header header{kMagic, static_cast<uint32_t>(payload.size()), checksum_of(payload)};
  std::string record(reinterpret_cast<const char*>(&header), sizeof(header));
  return record += payload;
}

sql::Outcome<SpillFile> SpillFile::create(std::filesystem::path path) {
  auto file = open_file(path, O_RDWR | O_CREAT | O_EXCL);
  if (!file) return file.fault();
  if (auto done = sync_folder(path.parent_path()); !done) return done.fault();
  return SpillFile(std::move(path), std::move(*file));
}

sql::Outcome<SpillFile> SpillFile::reopen(std::filesystem::path path) {
  auto file = open_file(path, O_RDWR);
  if (!file) return file.fault();
  SpillFile reopened(std::move(path), std::move(*file));
  if (auto done = reopened.find_end(); !done) return done.fault();
  return reopened;
}

sql::Outcome<sql::Done> SpillFile::find_end() {
  struct stat found {};
  if (fstat(file_.fd(), &found) != 0) return fault_of("look at", path_);
  const auto all = static_cast<uint64_t>(found.st_size);
  for (;;) {
    const auto payload = read_record(size_);
    if (!payload) break;
    const auto tally = decode_tally(*payload);
    if (!tally) break;
    left_ += *tally;
    size_ = next_;
  }
  cut_bytes_ = all - size_;
  if (cut_bytes_ > 0 && ftruncate(file_.fd(), static_cast<off_t>(size_)) != 0) return fault_of("cut", path_);
  return sql::Done{};
}

// Leaves in next_ where the one behind it begins.
sql::Outcome<std::string> SpillFile::read_record(uint64_t place) {
  auto head = read_at(file_, path_, sizeof(Header), place);
  if (!head) return head;
  if (head->size() < sizeof(Header)) return damaged(path_);
  Header header;
  std::memcpy(&header, head->data(), sizeof(header));
  if (header.magic != kMagic || header.size > kMostBytes) return damaged(path_);
  auto payload = read_at(file_, path_, header.size, place + sizeof(header));
  if (!payload) return payload;
  if (payload->size() < header.size || checksum_of(*payload) != header.checksum) return damaged(path_);
  next_ = place + sizeof(header) + header.size;
  return payload;
}

sql::Outcome<sql::Done> SpillFile::add(std::string_view record, const Tally& tally) {
  auto done = write_at(file_, path_, record, size_);
  if (done) done = sync(file_, path_);
  if (!done) {
    // What is there of it must not be found later. A disk that does not even do that has its fault told already.
    static_cast<void>(!ftruncate(file_.fd(), static_cast<off_t>(size_)));
    return done;
  }
  size_ += record.size();
  left_ += tally;
  return done;
}

sql::Outcome<Batch> SpillFile::front() {
  const auto payload = read_record(place_);
  if (!payload) return payload.fault();
  auto batch = decode(*payload);
  if (!batch) return damaged(path_);
  front_ = Tally::of(*batch);
  return std::move(*batch);
}

void SpillFile::pass() {
  place_ = next_;
  left_ -= front_;
}

void SpillFile::remove() const { unlink(path_.c_str()); }

}  // namespace sluice::audit
