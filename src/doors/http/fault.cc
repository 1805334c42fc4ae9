#include "doors/http/fault.h"

#include <array>
#include <string_view>

namespace sluice::doors::http {
namespace {

struct Row {
  Fault fault;
  int status;
  std::string_view sentence;  // `#` stands for the limit
  size_t Limits::*limit = nullptr;
};

// In the order of Fault.
constexpr std::array<Row, 21> kRows = {{
    {Fault::kNone, 200, ""},
    {Fault::kStart, 400, "A request begins with the name of its method; this one does not. Is it TLS, or no HTTP?"},
    {Fault::kLineEnding, 400, "Every line of the header must end with CR LF; one ends with LF or CR alone."},
    {Fault::kFolded, 400, "A line of the header begins with a blank. Fields that go over several lines are refused."},
    {Fault::kMethod, 400, "The method must be a token, followed by one blank."},
    {Fault::kTarget, 400, "The target must be a path or a URI without blanks and controls, followed by one blank."},
    {Fault::kVersion, 505, "The request line must end with HTTP/1.1 or HTTP/1.0."},
    {Fault::kFieldName, 400, "A line of the header must begin with a name, directly followed by a colon."},
    {Fault::kFieldValue, 400, "The value of a header field has control characters or is not what such a field holds."},
    {Fault::kHost, 400, "A request of HTTP/1.1 must have the field Host exactly once."},
    {Fault::kContentLength, 400, "Content-Length must stand at most once, and be one number of digits alone."},
    {Fault::kLengthAndEncoding, 400, "A request must not have both Content-Length and Transfer-Encoding."},
    {Fault::kEncodingTwice, 400, "Transfer-Encoding must stand at most once."},
    {Fault::kEncodingUnknown, 501, "Of transfer encodings only `chunked`, alone, is understood."},
    {Fault::kEncodingInHttp10, 400, "A request of HTTP/1.0 must not have Transfer-Encoding."},
    {Fault::kExpectation, 417, "The only expectation that can be met is `100-continue`."},
    {Fault::kChunk, 400,
     "A chunk must be its size in hexadecimal digits, CR LF, that many bytes, CR LF; the last has the size 0."},
    {Fault::kTargetBytes, 414, "The target must have at most # bytes.", &Limits::target_bytes},
    {Fault::kHeaderBytes, 431, "The request line and the header fields must have at most # bytes together.",
     &Limits::header_bytes},
    {Fault::kFields, 431, "There must be at most # header fields.", &Limits::fields},
    {Fault::kBodyBytes, 413, "The body must have at most # bytes.", &Limits::body_bytes},
}};

constexpr bool is_in_order() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].fault != static_cast<Fault>(i)) return false;
  }
  return true;
}
static_assert(is_in_order());

}  // namespace

int status_of(Fault fault) { return kRows[static_cast<size_t>(fault)].status; }

std::string sentence_of(Fault fault, const Limits& limits) {
  const Row& row = kRows[static_cast<size_t>(fault)];
  std::string sentence(row.sentence);
  if (row.limit != nullptr) sentence.replace(sentence.find('#'), 1, std::to_string(limits.*row.limit));
  return sentence;
}

}  // namespace sluice::doors::http
