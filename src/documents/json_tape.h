// JSON (RFC 8259) as one flat list of values, for those who read one text after another: its memory is kept, so that in
// the long run nothing is allocated. Strict like read_json(), which makes its tree from this. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "documents/document.h"

namespace sluice::documents {

// What one value is, and where.
struct TapeEntry {
  Kind kind = Kind::kNull;
  bool boolean = false;
  uint32_t end = 0;          // where the entry behind this value and all it holds stands
  uint32_t offset = 0;       // of its text
  uint32_t name_offset = 0;  // of its name's
  std::string_view name;     // in an object
  std::string_view text;     // strings: their characters; other scalars: as they were written
  double number = 0;         // infinite where no double holds what was written
};

// A value and what it holds. Views into its tape, until that reads again.
class TapeValue {
 public:
  explicit TapeValue(const TapeEntry* entry, const TapeEntry* first) : entry_(entry), first_(first) {}

  Kind kind() const { return entry_->kind; }
  std::string_view name() const { return entry_->name; }
  std::string_view text() const { return entry_->text; }
  double number() const { return entry_->number; }
  const TapeEntry& entry() const { return *entry_; }

  // Calls `visit` with each item or member, in order, as long as it returns true. Returns what it returned last.
  template <class Visit>
  bool each(const Visit& visit) const {
    const TapeEntry* const end = first_ + entry_->end;
    for (const TapeEntry* child = entry_ + 1; child < end; child = first_ + child->end) {
      if (!visit(TapeValue(child, first_))) return false;
    }
    return true;
  }

 private:
  const TapeEntry* entry_;
  const TapeEntry* first_;
};

class JsonTape {
 public:
  JsonTape();
  ~JsonTape();

  // Replaces what was there. A fault: there is no root then. Bounds beyond 4 GiB are not for this.
  std::optional<SyntaxFault> read(std::string_view text, const Bounds& bounds = {});

  // REQUIRES: the last read() found no fault.
  TapeValue root() const { return TapeValue(entries_.data(), entries_.data()); }
  // Offsets are into this.
  std::string_view text() const;

 private:
  friend class TapeBuilder;
  struct Parser;

  std::unique_ptr<Parser> parser_;
  std::vector<TapeEntry> entries_;
};

}  // namespace sluice::documents
