#include "doors/http/head.h"

// Header-only, and without the parts of Asio that would want its library.
#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <limits>
#include <optional>

#include "rules/letter_case.h"

namespace sluice::doors::http {
namespace {

namespace beast = boost::beast;
using Error = beast::error_code;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

Fault fault_of(const Error& error) {
  switch (static_cast<beast::http::error>(error.value())) {
    case beast::http::error::bad_method: return Fault::kMethod;
    case beast::http::error::bad_target: return Fault::kTarget;
    case beast::http::error::bad_version: return Fault::kVersion;
    case beast::http::error::bad_field: return Fault::kFieldName;
    case beast::http::error::bad_content_length:
    case beast::http::error::multiple_content_length: return Fault::kContentLength;
    case beast::http::error::bad_transfer_encoding: return Fault::kEncodingTwice;
    case beast::http::error::bad_line_ending: return Fault::kLineEnding;
    case beast::http::error::header_limit: return Fault::kHeaderBytes;
    default: return Fault::kFieldValue;
  }
}

// Collects what the parser finds. What is ours to refuse is kept in fault().
class HeadParser final : public beast::http::basic_parser<true> {
 public:
  HeadParser(std::vector<Field>& fields, Head& head) : fields_(fields), head_(head) {
    this->header_limit(std::numeric_limits<uint32_t>::max());
    this->body_limit(boost::none);
    this->eager(false);
  }

  Fault parse(std::string_view text) {
    Error error;
    const size_t parsed = this->put(boost::asio::const_buffer(text.data(), text.size()), error);
    if (fault_ != Fault::kNone) return fault_;
    if (error) return fault_of(error);
    if (parsed != text.size()) return Fault::kLineEnding;
    head_.keeps_open = this->keep_alive();
    return judge();
  }

 private:
  Fault judge() const {
    if (head_.is_http11 && hosts_ != 1) return Fault::kHost;
    if (head_.framing == Framing::kChunked && !head_.is_http11) return Fault::kEncodingInHttp10;
    return Fault::kNone;
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target, int version,
                       Error&) override {
    head_.method = view(method);
    head_.target = view(target);
    head_.is_http11 = version == 11;
  }

  void on_field_impl(beast::http::field name, beast::string_view name_text, beast::string_view value_text,
                     Error& error) override {
    const std::string_view value = view(value_text);
    fields_.push_back({view(name_text), value});
    switch (name) {
      case beast::http::field::host:
        ++hosts_;
        head_.host = value;
        break;
      case beast::http::field::content_length: see_length(value); break;
      case beast::http::field::transfer_encoding: see_encoding(value); break;
      case beast::http::field::expect: see_expectation(value); break;
      default: break;
    }
    // Which error stops it does not matter: the fault says more.
    if (fault_ != Fault::kNone) error = beast::http::error::bad_value;
  }

  void see_length(std::string_view value) {
    const bool is_number = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (head_.framing == Framing::kLength || !is_number) return refuse(Fault::kContentLength);
    head_.framing = Framing::kLength;
    // The parser has found a number that fits: it refuses others before it tells of the field.
    for (const char c : value) head_.content_length = head_.content_length * 10 + static_cast<uint64_t>(c - '0');
  }

  void see_encoding(std::string_view value) {
    if (!rules::equal_ignoring_case(value, "chunked")) return refuse(Fault::kEncodingUnknown);
    head_.framing = Framing::kChunked;
  }

  void see_expectation(std::string_view value) {
    if (!rules::equal_ignoring_case(value, "100-continue")) return refuse(Fault::kExpectation);
    head_.expects_continue = true;
  }

  void refuse(Fault fault) { fault_ = fault; }

  void on_response_impl(int, beast::string_view, int, Error&) override {}
  void on_header_impl(Error&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, Error&) override {}
  size_t on_body_impl(beast::string_view, Error&) override { return 0; }
  void on_chunk_header_impl(uint64_t, beast::string_view, Error&) override {}
  size_t on_chunk_body_impl(uint64_t, beast::string_view, Error&) override { return 0; }
  void on_finish_impl(Error&) override {}

  std::vector<Field>& fields_;
  Head& head_;
  Fault fault_ = Fault::kNone;
  uint32_t hosts_ = 0;
};

bool has_both(const std::vector<Field>& fields, std::string_view value_of) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return rules::equal_ignoring_case(field.name, value_of); });
}

}  // namespace

Fault parse_head(std::string_view text, const Limits& limits, std::vector<Field>& fields, Head& head) {
  fields.clear();
  head = {};
  const Fault fault = HeadParser(fields, head).parse(text);
  // The parser refuses the second of the two before it tells of it, and as another fault.
  if (fault == Fault::kEncodingTwice && has_both(fields, "content-length")) return Fault::kLengthAndEncoding;
  if (fault == Fault::kContentLength && has_both(fields, "transfer-encoding")) return Fault::kLengthAndEncoding;
  if (fault != Fault::kNone) return fault;
  if (head.target.size() > limits.target_bytes) return Fault::kTargetBytes;
  return head.content_length > limits.body_bytes ? Fault::kBodyBytes : Fault::kNone;
}

}  // namespace sluice::doors::http
