"""Certificates for 127.0.0.1, signed by an authority of the test's own: made by the openssl command."""

import pathlib
import subprocess

from server import environment


class Authority:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.certificate = self.folder / "ca.pem"
        self._key = self.folder / "ca.key"
        self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                      self._key, "-out", self.certificate, "-subj", "/CN=test authority", "-days", "2")

    def issue(self, name):
        """Paths of a certificate and its key; `name` is what it is made out to, beside 127.0.0.1."""
        key, request, certificate, names = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem", "ext"))
        names.write_text(f"subjectAltName=DNS:{name},IP:127.0.0.1\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                      request, "-subj", f"/CN={name}")
        self._openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial",
                      "-out", certificate, "-days", "2", "-extfile", names)
        return certificate, key

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, env=environment(), timeout=30)
