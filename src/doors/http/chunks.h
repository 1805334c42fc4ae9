// A body in chunks: finds its end in bytes that come in pieces, and then puts the chunks together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "doors/http/fault.h"
#include "doors/http/limits.h"

namespace sluice::doors::http {

class ChunkScan {
 public:
  // `bytes` start where the body does, and are at least those of the call before. kNone also while it goes on. Of lines
  // that are not whole yet at most a few hundred bytes are looked at again.
  Fault look(std::string_view bytes, const Limits& limits);

  bool is_done() const { return stage_ == Stage::kDone; }
  // With the last empty line. REQUIRES: is_done().
  size_t size() const { return at_; }

 private:
  enum class Stage : uint8_t { kSize, kData, kTrailer, kDone };

  // Each goes on to the next stage, or leaves at_ where it is: then more bytes are needed.
  Fault read_size(std::string_view line, const Limits& limits);
  Fault pass_data(std::string_view bytes);

  size_t at_ = 0;
  size_t data_ = 0;   // of the chunk that at_ is in
  size_t total_ = 0;  // of all data
  Stage stage_ = Stage::kSize;
};

// Appends the data of all chunks. REQUIRES: `bytes` are what a ChunkScan has found to be whole.
void join_chunks(std::string_view bytes, std::string& body);

}  // namespace sluice::doors::http
