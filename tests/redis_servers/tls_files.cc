#include "redis_servers/tls_files.h"

#include <unistd.h>

#include <fstream>

namespace sluice::redis_testing {

TlsFiles::TlsFiles() {
  const auto file = [&](const char* name) { return folder_.file(name); };
  std::string said =
      run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
           "-subj", "/CN=a test's authority", "-keyout", file("ca.key"), "-out", file("ca.pem")});
  said += run({"openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
               "/CN=a test's server", "-keyout", file("server.key"), "-out", file("server.csr")});
  std::ofstream(file("names")) << "subjectAltName=IP:127.0.0.1,DNS:localhost\n";
  said += run({"openssl", "x509", "-req", "-in", file("server.csr"), "-CA", file("ca.pem"), "-CAkey", file("ca.key"),
               "-CAcreateserial", "-days", "1", "-extfile", file("names"), "-out", file("server.pem")});
  if (access(certificate().c_str(), R_OK) != 0) give_up("no certificate:\n" + said);
}

}  // namespace sluice::redis_testing
