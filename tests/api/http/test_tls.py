"""TLS: a service is trusted through its certificate alone, and a private authority only where it is named."""

import ipaddress
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from linkdash.api import Client
from linkdash.api.errors import Misconfigured, NotSent
from tests.api.conftest import KEY
from tests.api.raw_service import RawService, listening

YEAR = timedelta(days=365)
NOT_ACCEPTED = "TLS failed"
OF_OLDER_DAYS = "certificate not trusted, Missing" if sys.version_info >= (3, 13) else ""
"""What is said of an authority whose certificate lacks extensions that newer Pythons ask for."""


class Row(NamedTuple):
    """A service's certificate, whether its authority is named, and what must come of it."""

    name: str
    host: str = "127.0.0.1"
    expires: timedelta = YEAR
    is_signed: bool = True
    is_named: bool = True
    newest: ssl.TLSVersion = ssl.TLSVersion.MAXIMUM_SUPPORTED
    words: str = NOT_ACCEPTED
    has_usage: bool = True
    """True if certificates say what their keys are for, and whose they are."""


ROWS = (
    Row("a private authority that is named", words=""),
    Row("a private authority that is not", is_named=False),
    Row("self-signed", is_signed=False, is_named=False),
    Row("a private authority of older days", has_usage=False, words=OF_OLDER_DAYS),
    Row("expired", expires=-YEAR),
    Row("of another host", host="192.0.2.1"),
    Row("an old protocol", newest=ssl.TLSVersion.TLSv1_1),
)


class Signed(NamedTuple):
    """A certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def made(host: str, expires: timedelta, issuer: Signed | None, *, has_usage: bool) -> Signed:
    """A certificate for a host that `issuer` has signed, or itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    found = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer.certificate.subject if issuer else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 2 * YEAR)
        .not_valid_after(now + expires)
        .add_extension(x509.BasicConstraints(ca=host == "authority", path_length=None), critical=True)
    )
    if host != "authority":
        address = x509.IPAddress(ipaddress.ip_address(host))
        found = found.add_extension(x509.SubjectAlternativeName([address]), critical=False)
    if has_usage:
        signing = (issuer.key if issuer else key).public_key()
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        of_issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing)
        found = found.add_extension(own, critical=False).add_extension(of_issuer, critical=False)
        found = found.add_extension(_usage(signs=host == "authority"), critical=True)
    return Signed(found.sign(issuer.key if issuer else key, hashes.SHA256()), key)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def written(path: Path, signed: Signed) -> Path:
    """A file with a certificate and its key."""
    encoding = serialization.Encoding.PEM
    key = signed.key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(signed.certificate.public_bytes(encoding) + key)
    return path


@asynccontextmanager
async def serving(row: Row, authority: Signed, folder: Path) -> AsyncIterator[RawService]:
    """A service on loopback with the certificate of a row."""
    issuer = authority if row.is_signed else None
    signed = made(row.host, row.expires, issuer, has_usage=row.has_usage)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(written(folder / "service.pem", signed))
    if row.newest is not ssl.TLSVersion.MAXIMUM_SUPPORTED:
        with pytest.warns(DeprecationWarning, match="TLS"):
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, row.newest
    service = RawService()
    async with listening(service.serve_one, tls=context) as port:
        service.base_url = f"https://127.0.0.1:{port}"
        service.answer({"error": 0, "data": {"id": 1}})
        yield service


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_a_service_is_trusted_through_its_certificate(
    row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = made("authority", YEAR, None, has_usage=row.has_usage)
    if row.is_named:
        monkeypatch.setenv("SSL_CERT_FILE", str(written(tmp_path / "authority.pem", authority)))
    async with serving(row, authority, tmp_path) as service, Client(service.base_url, KEY) as client:
        if not row.words:
            assert (await client.account.get()).id == 1
            return
        with pytest.raises(NotSent, match=row.words):
            await client.account.get()
        with pytest.raises(NotSent, match=row.words):
            await client.domains.delete(1)
        assert service.requests == [], "the key went nowhere"


async def test_an_authority_that_cannot_be_read_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    async with Client("https://127.0.0.1:9", KEY) as client:
        with pytest.raises(Misconfigured, match="SSL_CERT_FILE"):
            await client.account.get()
