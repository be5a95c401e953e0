"""The servers that a URL names, and what of it may be shown.

Decides how several hosts are written. Must not know the driver.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlencode, urlsplit

from anarchon.backends.address import Address
from anarchon.errors import InvalidOption

AUTHORITY = "tls_ca"
PORT = 4222


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server, and the secrets to it: a user with a password, or a token."""

    url: str
    user: str | None = None
    password: str | None = None
    token: str | None = None


class Servers:
    """The servers of ``nats://user:password@host:port,host``; text without secrets.

    What is before the ``@`` of the first host is for all that have nothing there.
    ``nats://token@host`` logs in with a token. ``tls`` says that nothing may be sent in
    the clear; ``tls_ca`` is the file of the authority that is trusted then. The options
    that are ``own`` are for others; ``url`` is without them, and not to be shown.

    Raises:
        InvalidOption: the URL can't be read, or has a path or an unknown option.
    """

    def __init__(self, url: str, own: Iterable[str] = ()) -> None:
        scheme, _, rest = url.partition("://")
        hosts, question_mark, query = rest.partition("?")
        first, *others = _split(hosts, scheme)
        userinfo = first.rpartition("@")[0]
        shared = [host if "@" in host else f"{userinfo}@{host}" for host in others]
        if not userinfo:
            shared = others
        known = (*own, AUTHORITY)
        self._addresses = [
            Address(f"{scheme}://{host}{question_mark}{query}", own=known)
            for host in (first, *shared)
        ]
        for address in self._addresses:
            _check(address, known)
        self.options: Mapping[str, str] = self._addresses[0].options
        self.tls: bool = scheme.lower() == "tls"
        self.tls_ca: str | None = self.options.get(AUTHORITY)
        self.url: str = f"{scheme}://{hosts}"
        if self.tls_ca is not None:
            self.url += f"?{urlencode({AUTHORITY: self.tls_ca})}"
        self.servers: tuple[Server, ...] = tuple(map(_server, self._addresses))

    def __str__(self) -> str:
        first, *others = map(str, self._addresses)
        shown = [other.partition("://")[2].rpartition("@")[2] for other in others]
        return ",".join([first, *shown])

    def __repr__(self) -> str:
        return repr(str(self))

    def redact(self, text: str) -> str:
        """Return a text with ``***`` in place of every secret of these servers."""
        for address in self._addresses:
            text = address.redact(text)
        return text


def _split(hosts: str, scheme: str) -> list[str]:
    """Return the hosts, each with what is before its ``@``, without the scheme."""
    return [host.removeprefix(f"{scheme}://") for host in hosts.split(",")]


def _check(address: Address, known: Iterable[str]) -> None:
    unknown = urlsplit(address.url).query
    if address.host is None or address.path.strip("/") or unknown:
        raise InvalidOption(
            "a URL of a NATS store is nats://host:port or tls://host:port, more hosts "
            f"after commas, and of options {', '.join(known)}; this one is {address}"
            + (f" with {address.redact(unknown)}" if unknown else "")
        )


def _server(address: Address) -> Server:
    parts = urlsplit(address.url)
    host = f"[{address.host}]" if ":" in (address.host or "") else address.host
    url = f"{parts.scheme}://{host}:{address.port or PORT}"
    user, password = parts.username, parts.password
    if user is None:
        return Server(url=url)
    if password is None:
        return Server(url=url, token=unquote(user))
    return Server(url=url, user=unquote(user), password=unquote(password))
