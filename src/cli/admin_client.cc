#include "cli/admin_client.h"

#include <curl/curl.h>

#include <memory>
#include <utility>

namespace sluice::cli {
namespace {

// More than any page of rules; whoever sends more is no admin door.
constexpr size_t kLargestAnswer = size_t{64} << 20;

struct Closer {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

using Handle = std::unique_ptr<CURL, Closer>;
using FieldList = std::unique_ptr<curl_slist, Closer>;

void append(FieldList& list, const std::string& field) {
  curl_slist* longer = curl_slist_append(list.get(), field.c_str());
  if (longer == nullptr) return;
  (void)list.release();
  list.reset(longer);
}

size_t keep(const char* bytes, size_t, size_t count, void* target) {
  auto& body = *static_cast<std::string*>(target);
  if (body.size() + count > kLargestAnswer) return 0;
  body.append(bytes, count);
  return count;
}

FieldList fields_of(const AdminRequest& request, const std::string& token) {
  FieldList fields;
  // Otherwise a body waits for a 100 that nobody needs.
  append(fields, "Expect:");
  if (!token.empty()) append(fields, "Authorization: Bearer " + token);
  if (!request.if_match.empty()) append(fields, "If-Match: " + request.if_match);
  if (!request.body.empty()) append(fields, "Content-Type: application/json");
  return fields;
}

}  // namespace

AdminClient::AdminClient(std::string url, std::string token, std::chrono::milliseconds timeout)
    : url_(std::move(url)), token_(std::move(token)), timeout_(timeout) {
  while (url_.ends_with('/')) url_.pop_back();
}

std::variant<AdminAnswer, std::string> AdminClient::send(const AdminRequest& request) const {
  const Handle handle(curl_easy_init());
  if (handle == nullptr) return "there is no memory to ask " + url_;
  const FieldList fields = fields_of(request, token_);
  const std::string address = url_ + request.path;
  AdminAnswer answer;
  char why[CURL_ERROR_SIZE] = "";
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, address.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields.get());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_.count()));
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // A token must not be handed on to a proxy or to another place.
  curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  if (!request.body.empty()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  }
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return url_ + " does not answer: " + (why[0] != '\0' ? why : curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  return answer;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                          c == '.' || c == '_' || c == '~';
    if (is_plain) {
      out += c;
    } else {
      out += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    }
  }
  return out;
}

}  // namespace sluice::cli
