"""Tokens that Python's hmac and the openssl command have signed are verified, and none of them once it is changed."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

NOW = 1_800_000_000
SECRET = bytes(range(64))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def decode(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, **options).stdout


def number(der, at):
    """The INTEGER of DER at an offset, in 32 bytes, and where it ends."""
    assert der[at] == 2
    length = der[at + 1]
    return der[at + 2:at + 2 + length].lstrip(b"\0").rjust(32, b"\0"), at + 2 + length


class OtherSigners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "HS256.pub").write_bytes(SECRET)
        openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", cls.folder / "RS256")
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", cls.folder / "ES256")
        for name in ("RS256", "ES256"):
            openssl("pkey", "-in", cls.folder / name, "-pubout", "-out", cls.folder / f"{name}.pub")

    def signature(self, algorithm, signed):
        if algorithm == "HS256":
            return hmac.new(SECRET, signed, hashlib.sha256).digest()
        signature = openssl("dgst", "-sha256", "-sign", self.folder / algorithm, input=signed)
        if algorithm == "RS256":
            return signature
        assert signature[0] == 0x30
        r, end = number(signature, 2)
        return r + number(signature, end)[0]

    def token(self, algorithm, claims):
        signed = encode(json.dumps({"alg": algorithm, "typ": "JWT"}).encode()) + b"." + encode(json.dumps(claims).encode())
        return signed + b"." + encode(self.signature(algorithm, signed))

    def probe(self, algorithm, token, now=NOW):
        return subprocess.run([os.environ["JWT_PROBE"], algorithm, self.folder / f"{algorithm}.pub", str(now)], input=token,
                              capture_output=True)

    def claims(self, algorithm, token):
        result = self.probe(algorithm, token)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(line.split("\t") for line in result.stdout.decode().splitlines())

    def test_their_tokens_are_verified_and_their_claims_read(self):
        for algorithm in ("HS256", "RS256", "ES256"):
            for user in range(5):
                with self.subTest(algorithm=algorithm, user=user):
                    token = self.token(algorithm, {"sub": f"user-{user}", "org": {"id": user, "ok": True}, "exp": NOW + 1,
                                                   "name": "Zoë", "roles": ["a"], "none": None})
                    self.assertEqual(self.claims(algorithm, token), {
                        "sub": f"user-{user}", "org.id": str(user), "org.ok": "true", "exp": str(NOW + 1), "name": "Zoë"})

    def test_they_expire_when_they_say(self):
        for algorithm in ("HS256", "RS256", "ES256"):
            token = self.token(algorithm, {"exp": NOW, "nbf": NOW - 10})
            self.assertEqual(self.probe(algorithm, token, NOW - 1).returncode, 0)
            late = self.probe(algorithm, token, NOW + 3)
            self.assertEqual((late.returncode, late.stderr), (1, b"it expired 3 s ago\n"))
            early = self.probe(algorithm, token, NOW - 12)
            self.assertEqual((early.returncode, early.stderr), (1, b"it is valid only in 2 s\n"))

    def test_a_changed_payload_is_found(self):
        for algorithm in ("HS256", "RS256", "ES256"):
            header, payload, signature = self.token(algorithm, {"plan": "free"}).split(b".")
            changed = encode(decode(payload).replace(b"free", b"best"))
            result = self.probe(algorithm, b".".join((header, changed, signature)))
            self.assertEqual((result.returncode, result.stderr), (1, b"its signature does not fit\n"))

    def test_the_public_key_is_no_secret(self):
        for algorithm in ("RS256", "ES256"):
            pem = (self.folder / f"{algorithm}.pub").read_bytes()
            signed = encode(b'{"alg":"HS256"}') + b"." + encode(b'{"plan":"best"}')
            token = signed + b"." + encode(hmac.new(pem, signed, hashlib.sha256).digest())
            result = self.probe(algorithm, token)
            self.assertEqual(result.returncode, 1)
            self.assertIn(b"`alg` is 'HS256'", result.stderr)

    def test_keys_that_openssl_makes_otherwise_are_refused_with_the_remedy(self):
        openssl("genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048", "-out", self.folder / "pss")
        openssl("genpkey", "-algorithm", "ED25519", "-out", self.folder / "ed")
        for name, algorithm, words in (("pss", "RS256", b"needs an RSA key"), ("ed", "ES256", b"needs an elliptic curve key")):
            public = openssl("pkey", "-in", self.folder / name, "-pubout", "-out", self.folder / f"{name}.pub")
            self.assertEqual(public, b"")
            result = subprocess.run([os.environ["JWT_PROBE"], algorithm, self.folder / f"{name}.pub", "0"], input=b"x",
                                    capture_output=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
