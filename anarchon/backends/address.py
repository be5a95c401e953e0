"""Where a server is: the URL that a driver gets, and what of it may be shown.

Decides that nothing secret is shown, and which options of a URL are anarchon's own.
Must not know any driver.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from anarchon.errors import AnarchonError, BackendUnavailable, InvalidOption


class Address:
    """A server's URL, whose text and repr have no secret in them.

    ``url`` is for the driver alone, without the options that were ``own``; those are in
    ``options``. ``host`` and ``port`` are ``None`` where the URL names none or several.

    Raises:
        InvalidOption: the URL can't be read, or has a fragment.
    """

    __slots__ = ("_secrets", "_shown", "host", "options", "path", "port", "url")

    def __init__(self, url: str, own: Iterable[str] = ()) -> None:
        try:
            parts = urlsplit(url)
            several = "," in parts.netloc.rpartition("@")[2]
            self.host: str | None = None if several else parts.hostname
            self.port: int | None = None if several else parts.port
        except ValueError:
            scheme = url.partition("://")[0]
            # the reason would quote what may be secret
            raise InvalidOption(f"this {scheme}:// URL can't be read") from None
        query = parse_qsl(parts.query, keep_blank_values=True)
        names = frozenset(own)
        self.options: Mapping[str, str] = {
            name: value for name, value in query if name in names
        }
        rest = [(name, value) for name, value in query if name not in names]
        self.path: str = unquote(parts.path)
        # urlunsplit would drop the slashes before a host that isn't named
        self.url: str = f"{parts.scheme}://{parts.netloc}{parts.path}"
        if rest:
            self.url += f"?{urlencode(rest)}"
        userinfo, at, hosts = parts.netloc.rpartition("@")
        self._shown = f"{parts.scheme}://{'***' if at else ''}{at}{hosts}{parts.path}"
        self._secrets = _secrets(userinfo, rest)
        if parts.fragment:
            raise InvalidOption(f"the URL {self._shown} has a fragment after it, '#'")

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return repr(self._shown)

    def redact(self, text: str) -> str:
        """Return a text with ``***`` in place of every secret of this address."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def seconds_or_text(given: str) -> float | str:
    """Return a duration in a URL as a number, if it is one, or as the text it is."""
    try:
        return float(given)
    except ValueError:
        return given


def _secrets(userinfo: str, query: list[tuple[str, str]]) -> tuple[str, ...]:
    user, colon, password = userinfo.partition(":")
    # a user alone may be a token
    found = {password if colon else user}
    found |= {value for name, value in query if _sounds_secret(name)}
    found |= {unquote(text) for text in found}
    return tuple(sorted(filter(None, found), key=len, reverse=True))


def _sounds_secret(name: str) -> bool:
    return any(word in name.lower() for word in ("pass", "token", "secret", "key"))


def address_alone(url: str, own: Iterable[str]) -> Address:
    """Return the address in a URL that was given beside arguments.

    Raises:
        InvalidOption: it has ``own`` options in it, which are arguments there.
    """
    address = Address(url, own)
    if address.options:
        names = ", ".join(address.options)
        raise InvalidOption(
            f"the URL {address} has {names} in it, which is read by from_url and "
            f"open_scheduler; a backend that is made by hand takes {names} as arguments"
        )
    return address


@contextmanager
def reaching(address: Address | str) -> Generator[None]:
    """Turn whatever keeps a store from being opened into ``BackendUnavailable``.

    ``address`` is an ``Address``, or what a client that the user made is called.

    Raises:
        BackendUnavailable: says which store and why, and shows no secret.
    """
    try:
        yield
    except AnarchonError:
        raise
    except Exception as error:  # noqa: BLE001  a driver raises what it likes
        # some say no more than what they are
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
        if isinstance(address, Address):
            text = address.redact(text)
        raise BackendUnavailable(f"{address} can't be used: {text}") from None


def need_driver(module: str, extra: str, store: str) -> None:
    """Refuse a backend whose driver isn't installed; imports nothing.

    Raises:
        InvalidOption: names the extra.
    """
    if find_spec(module) is None:
        raise InvalidOption(
            f"a {store} store needs {module}: pip install 'anarchon[{extra}]'"
        )
