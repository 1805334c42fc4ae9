// Bytes that are no request: each is told its sentence, and the connection closed before anything behind it is read.
#include "doors/http/fault.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "doors/http/echo_testing.h"

namespace sluice::doors::http {
namespace {

constexpr Limits kSmall{.header_bytes = 400, .body_bytes = 10, .fields = 3, .target_bytes = 100};

std::string refusal(Fault fault, const Limits& limits) {
  const int status = status_of(fault);
  nlohmann::ordered_json body{{"type", "about:blank"},
                              {"title", phrase_of(status)},
                              {"status", status},
                              {"detail", sentence_of(fault, limits)}};
  const std::string text = body.dump();
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(phrase_of(status)) +
         "\r\nContent-Type: application/problem+json\r\nContent-Length: " + std::to_string(text.size()) +
         "\r\nConnection: close\r\n\r\n" + text;
}

// In one piece and byte by byte: the answer is the same, and what follows is not read.
void expect_refused(std::string_view bytes, Fault fault, const Limits& limits = {}) {
  SCOPED_TRACE(bytes.substr(0, 200));
  EchoConnection connection(limits);
  EXPECT_EQ(connection.send(std::string(bytes) + "GET / HTTP/1.1\r\nHost: next\r\n\r\n"), refusal(fault, limits));
  EXPECT_TRUE(connection.is_closed);
  EchoConnection slow(limits);
  std::string got;
  for (const char& byte : bytes) got += slow.send({&byte, 1});
  EXPECT_EQ(got, refusal(fault, limits));
}

std::string with_fields(std::string_view fields) {
  return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
}

TEST(HttpFaults, OfTheRequestLine) {
  expect_refused("\x16\x03\x01\x02", Fault::kStart);
  expect_refused(" GET / HTTP/1.1\r\nHost: h\r\n\r\n", Fault::kStart);
  expect_refused("G(T / HTTP/1.1\r\nHost: h\r\n\r\n", Fault::kMethod);
  expect_refused("GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n", Fault::kTarget);
  expect_refused("GET  HTTP/1.1\r\nHost: h\r\n\r\n", Fault::kTarget);
  expect_refused("GET / HTTP/2.0\r\nHost: h\r\n\r\n", Fault::kVersion);
  expect_refused("GET / HTTP/1.2\r\nHost: h\r\n\r\n", Fault::kVersion);
  expect_refused("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", Fault::kVersion);
  expect_refused("GET /\r\nHost: h\r\n\r\n", Fault::kTarget);
  expect_refused("PRI * HTTP/2.0\r\n\r\n", Fault::kVersion);
}

TEST(HttpFaults, OfLines) {
  expect_refused("GET / HTTP/1.1\n", Fault::kLineEnding);
  expect_refused("GET / HTTP/1.1\r\nHost: h\n", Fault::kLineEnding);
  expect_refused(with_fields("A: b\rc\r\n"), Fault::kLineEnding);
  expect_refused(with_fields("A: b\r\r\n"), Fault::kLineEnding);
  expect_refused("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n", Fault::kFolded);
  expect_refused("GET / HTTP/1.1\r\n Host: h\r\n", Fault::kFolded);
  expect_refused("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n", Fault::kFolded);
  expect_refused("\rGET", Fault::kLineEnding);
}

TEST(HttpFaults, OfFields) {
  expect_refused(with_fields("A : b\r\n"), Fault::kFieldName);
  expect_refused(with_fields("Content-Length : 5\r\n"), Fault::kFieldName);
  expect_refused(with_fields("A\tB: b\r\n"), Fault::kFieldName);
  expect_refused(with_fields(": b\r\n"), Fault::kFieldName);
  expect_refused(with_fields("no colon\r\n"), Fault::kFieldName);
  expect_refused(with_fields(std::string_view("A: b\0c\r\n", 8)), Fault::kFieldValue);
  expect_refused(with_fields("A: b\x7f\r\n"), Fault::kFieldValue);
  expect_refused("GET / HTTP/1.1\r\n\r\n", Fault::kHost);
  expect_refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Fault::kHost);
  expect_refused(with_fields("Expect: a miracle\r\n"), Fault::kExpectation);
}

// What makes two servers see two different requests.
TEST(HttpFaults, OfTheLengthOfABody) {
  expect_refused(with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"), Fault::kContentLength);
  expect_refused(with_fields("Content-Length: 5\r\nContent-Length: 6\r\n"), Fault::kContentLength);
  for (const char* length : {"5, 5", "+5", "-1", "5x", "0x5", "", "5 5", "1.0", "99999999999999999999999"}) {
    expect_refused(with_fields("Content-Length: " + std::string(length) + "\r\n"), Fault::kContentLength);
  }
  expect_refused(with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), Fault::kLengthAndEncoding);
  expect_refused(with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), Fault::kLengthAndEncoding);
  expect_refused(with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), Fault::kEncodingTwice);
  for (const char* encoding : {"gzip, chunked", "chunked, chunked", "identity", "xchunked", "chunked;q=1", ""}) {
    expect_refused(with_fields("Transfer-Encoding: " + std::string(encoding) + "\r\n"), Fault::kEncodingUnknown);
  }
  expect_refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Fault::kEncodingInHttp10);
}

TEST(HttpFaults, OfChunks) {
  const std::string head = with_fields("Transfer-Encoding: chunked\r\n");
  for (const char* chunks : {"x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "\r\n", "1\n", "1\r\naX",
                             "1\r\na\rX", "1;a\x01\r\n", "0\r\nT: v\n", "0\r\nT\r: v\r\n"}) {
    expect_refused(head + chunks, Fault::kChunk);
  }
  expect_refused(head + "1;" + std::string(254, 'x'), Fault::kChunk);
}

TEST(HttpFaults, OfSize) {
  expect_refused("GET /" + std::string(128, 'x'), Fault::kTargetBytes, kSmall);
  expect_refused("GET /" + std::string(100, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n", Fault::kTargetBytes, kSmall);
  expect_refused("GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\nC: 3\r\n", Fault::kFields, kSmall);
  const std::string fields = with_fields("A: ");
  expect_refused(fields + std::string(400 - fields.size(), 'x'), Fault::kHeaderBytes, kSmall);
  expect_refused(with_fields("Content-Length: 11\r\n"), Fault::kBodyBytes, kSmall);
  expect_refused(with_fields("Transfer-Encoding: chunked\r\n") + "b\r\n", Fault::kBodyBytes, kSmall);
  expect_refused(with_fields("Transfer-Encoding: chunked\r\n") + "a\r\n0123456789\r\n1\r\n", Fault::kBodyBytes, kSmall);
  expect_refused(with_fields("Transfer-Encoding: chunked\r\n") + "ffffffffffffffff\r\n", Fault::kBodyBytes, kSmall);
}

TEST(HttpFaults, WhatIsAsLargeAsItMayBePasses) {
  EchoConnection connection(kSmall);
  const std::string target = "/" + std::string(99, 'x');
  const std::string got =
      connection.send("POST " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nA: b\r\n\r\n0123456789");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
  const std::string chunked =
      connection.send(with_fields("Transfer-Encoding: chunked\r\n") + "9\r\n123456789\r\n1\r\n0\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.starts_with("HTTP/1.1 200 OK\r\n")) << chunked;
}

TEST(HttpFaults, ChunksMayNotAddMoreThanABodyMayHave) {
  EchoConnection connection(kSmall);
  std::string bytes = with_fields("Transfer-Encoding: chunked\r\n") + "0\r\n";
  for (int i = 0; i < 100; ++i) bytes += "Trailer: x\r\n";
  EXPECT_EQ(connection.send(bytes), refusal(Fault::kBodyBytes, kSmall));
}

TEST(HttpFaults, SayTheLimitThatWasPassed) {
  EXPECT_EQ(sentence_of(Fault::kBodyBytes, {}), "The body must have at most 1048576 bytes.");
  EXPECT_EQ(sentence_of(Fault::kFields, {}), "There must be at most 100 header fields.");
  EXPECT_EQ(sentence_of(Fault::kTargetBytes, {}), "The target must have at most 8192 bytes.");
}

}  // namespace
}  // namespace sluice::doors::http
