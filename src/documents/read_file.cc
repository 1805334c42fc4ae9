#include "documents/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "documents/json_reader.h"
#include "documents/yaml_reader.h"
#include "net/descriptor.h"

namespace sluice::documents {
namespace {

Unreadable last_error() { return {std::strerror(errno)}; }

}  // namespace

std::variant<std::string, Unreadable> read_file(const std::filesystem::path& path, size_t most) {
  if (path.native().find('\0') != std::string::npos) return Unreadable{"its name has a zero byte"};
  // A pipe without a writer would block an ordinary open.
  const net::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return last_error();
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return last_error();
  if (S_ISDIR(status.st_mode)) return Unreadable{"it is a folder"};
  if (!S_ISREG(status.st_mode)) return Unreadable{"it is no regular file"};
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t length = read(file.get(), buffer, sizeof(buffer));
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return last_error();
    if (length == 0) return content;
    content.append(buffer, static_cast<size_t>(length));
    if (content.size() > most) return Unreadable{"it has more than " + std::to_string(most) + " bytes"};
  }
}

void drop_line_end(std::string& text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
}

Format guess_format(const std::string& name, std::string_view text) {
  const std::string extension = std::filesystem::path(name).extension().string();
  if (extension == ".json") return Format::kJson;
  if (extension == ".yaml" || extension == ".yml") return Format::kYaml;
  const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return first != text.npos && text[first] == '{' ? Format::kJson : Format::kYaml;
}

Parsed read_document(std::string_view text, Format format) {
  return format == Format::kJson ? read_json(text) : read_yaml(text);
}

}  // namespace sluice::documents
