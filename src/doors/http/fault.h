// What can be wrong with the bytes of a request: one table from each fault to its status and its sentence.
#pragma once

#include <cstdint>
#include <string>

#include "doors/http/limits.h"

namespace sluice::doors::http {

// After each of these the connection is closed: where the next request begins is not known for sure.
enum class Fault : uint8_t {
  kNone,
  kStart,
  kLineEnding,
  kFolded,
  kMethod,
  kTarget,
  kVersion,
  kFieldName,
  kFieldValue,
  kHost,
  kContentLength,
  kLengthAndEncoding,
  kEncodingTwice,
  kEncodingUnknown,
  kEncodingInHttp10,
  kExpectation,
  kChunk,
  kTargetBytes,
  kHeaderBytes,
  kFields,
  kBodyBytes,
};

int status_of(Fault fault);
// A sentence for whoever wrote the client.
std::string sentence_of(Fault fault, const Limits& limits);

}  // namespace sluice::doors::http
