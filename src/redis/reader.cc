#include "redis/reader.h"

#include <hiredis/hiredis.h>
#include <hiredis/read.h>
#include <string.h>

#include <new>

namespace sluice::redis {
namespace {

// Longer ones are not of a Redis that answers what we ask.
constexpr size_t kLongestReply = size_t{64} << 20;
constexpr int kMostElements = 1 << 20;

Reply::Type type_of(const redisReadTask* task) {
  switch (task->type) {
    case REDIS_REPLY_STATUS: return Reply::Type::kStatus;
    case REDIS_REPLY_ERROR: return Reply::Type::kError;
    default: return Reply::Type::kString;
  }
}

}  // namespace

// Each function puts a reply where its parent has room for it. nullptr, which hiredis takes for a lack of memory, ends
// the reading.
struct Reader::Making {
  static Reader& reader_of(const redisReadTask* task) { return *static_cast<Reader*>(task->privdata); }

  static void* put(const redisReadTask* task, const Reply& reply) {
    Reply* place = &reader_of(task).root_;
    if (task->parent != nullptr) {
      const auto* const parent = static_cast<const Reply*>(task->parent->obj);
      place = const_cast<Reply*>(&parent->elements()[static_cast<size_t>(task->idx)]);
    }
    *place = reply;
    return place;
  }

  static void* string(const redisReadTask* task, char* text, size_t size) {
    void* const copy = reader_of(task).memory_.allocate(size + 1, 1);
    memcpy(copy, text, size);
    return put(task, Reply::of_text(type_of(task), {static_cast<char*>(copy), size}));
  }

  static void* array(const redisReadTask* task, int count) {
    if (count < 0 || count > kMostElements) return nullptr;
    const auto size = static_cast<size_t>(count);
    void* const room = reader_of(task).memory_.allocate(sizeof(Reply) * size + 1, alignof(Reply));
    auto* const elements = static_cast<Reply*>(room);
    for (size_t i = 0; i < size; ++i) new (&elements[i]) Reply();
    return put(task, Reply::of_elements({elements, size}));
  }

  static void* integer(const redisReadTask* task, long long value) { return put(task, Reply::of_integer(value)); }
  static void* nil(const redisReadTask* task) { return put(task, Reply()); }
  static void forget(void*) {}

  static inline redisReplyObjectFunctions functions = {string, array, integer, nil, forget};
};

Reader::Reader() : reader_(redisReaderCreateWithFunctions(&Making::functions)) {
  if (reader_ == nullptr) throw std::bad_alloc();
  reader_->privdata = this;
}

Reader::~Reader() { redisReaderFree(reader_); }

bool Reader::feed(std::string_view bytes) {
  if (reader_->len - reader_->pos + bytes.size() > kLongestReply) return false;
  return redisReaderFeed(reader_, bytes.data(), bytes.size()) == REDIS_OK;
}

Reader::Next Reader::next(Reply& reply) {
  if (has_told_) memory_.release();
  has_told_ = false;
  void* made = nullptr;
  if (redisReaderGetReply(reader_, &made) != REDIS_OK) return Next::kNonsense;
  if (made == nullptr) return Next::kIncomplete;
  has_told_ = true;
  reply = root_;
  return Next::kReply;
}

std::string Reader::complaint() const { return reader_->err != 0 ? reader_->errstr : "a reply that is too long"; }

}  // namespace sluice::redis
