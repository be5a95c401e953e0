"""Certificates for servers on the loopback, signed by an authority of one's own.

Made by the ``openssl`` command, once for each process that asks.
"""

import functools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.leash import LEASH
from tests.servers.server import Server

# what a strict client looks for, Python 3.13's default one among them
OF_AUTHORITY = "keyUsage=critical,keyCertSign,cRLSign"
OF_SERVER = """\
subjectAltName = DNS:localhost,IP:127.0.0.1
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
"""
_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
_LATER = ["-days", "30"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """The files that a server needs, and ``authority``, which its clients trust."""

    authority: Path
    certificate: Path
    key: Path

    def given_to(self, server: Server) -> "Certificates":
        """Return copies that this server can read, in its own folder."""
        return Certificates(
            authority=self.authority,
            certificate=server.own_file("server.pem", self.certificate.read_text()),
            key=server.own_file("server.key", self.key.read_text()),
        )


@functools.cache
def certificates() -> Certificates:
    """Make an authority, and the certificate of a server on this machine."""
    if shutil.which("openssl") is None:
        pytest.skip("TLS needs the openssl command (Debian: openssl)")
    folder = Path(tempfile.mkdtemp(prefix="anarchon-tls-"))
    LEASH.hold_folder(folder)
    _make_authority(folder)
    _make_certificate(folder)
    return Certificates(
        authority=folder / "ca.pem",
        certificate=folder / "server.pem",
        key=folder / "server.key",
    )


def _make_authority(folder: Path) -> None:
    files = ["-keyout", "ca.key", "-out", "ca.pem"]
    name = ["-subj", "/CN=anarchon tests", "-addext", OF_AUTHORITY]
    _openssl(folder, ["req", "-x509", *_KEY, *_LATER, *files, *name])


def _make_certificate(folder: Path) -> None:
    request = ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost"]
    _openssl(folder, ["req", "-new", *_KEY, *request])
    (folder / "server.ext").write_text(OF_SERVER)
    signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"]
    files = ["-in", "server.csr", "-out", "server.pem", "-extfile", "server.ext"]
    _openssl(folder, ["x509", "-req", *signer, *files, *_LATER])


def _openssl(folder: Path, words: list[str]) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
