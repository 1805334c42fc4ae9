// A certificate authority of a test's own, and a server's certificate that it signed.
#pragma once

#include <string>

#include "redis_servers/process.h"

namespace sluice::redis_testing {

class TlsFiles {
 public:
  // For 127.0.0.1 and localhost.
  TlsFiles();

  std::string authority() const { return folder_.file("ca.pem"); }
  std::string certificate() const { return folder_.file("server.pem"); }
  std::string key() const { return folder_.file("server.key"); }

 private:
  Folder folder_;
};

}  // namespace sluice::redis_testing
