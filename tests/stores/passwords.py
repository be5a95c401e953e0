"""Servers that ask for a password, and the places where a URL can carry it.

Decides the passwords and how they are written. Must not know where they could show.
"""

import json
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from urllib.parse import unquote, urlsplit

from tests.servers.fleet import Fleet
from tests.servers.server import Server

# each password contains it, and nothing else that could be shown does
WORD = "sesame"
PASSWORD = f"open {WORD}: 100% @/?#"
WRONG = f"shut {WORD}: 50% @/?#"


class Place(StrEnum):
    """Where in a URL the password is."""

    USERINFO = "userinfo"
    QUERY = "query"
    TOKEN = "token"


class Passwords:
    """The servers of a fleet, each with a password."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._own: dict[tuple[str, bool], Server] = {}
        self._stack = ExitStack()

    def close(self) -> None:
        """End the servers that were started here."""
        self._stack.close()

    def server(self, name: str, place: Place) -> tuple[Server, str]:
        """Return a server and its password, which it takes at this place of a URL."""
        if not name.startswith(("redis", "valkey", "nats")):
            # these have one anyway
            server = self._fleet[name]
            return server, unquote(urlsplit(server.url).password or "")
        return self._started(name, place is Place.TOKEN), PASSWORD

    def _started(self, name: str, by_token: bool) -> Server:
        if (name, by_token) not in self._own:
            settings = {"authorization": json.dumps({"token": PASSWORD})}
            server = (
                self._fleet.fresh(name, settings=settings)
                if by_token
                else self._fleet.fresh(name, password=PASSWORD)
            )
            self._own[name, by_token] = self._stack.enter_context(server)
        return self._own[name, by_token]


@contextmanager
def passwords(fleet: Fleet) -> Generator[Passwords]:
    """Give the servers; end those that were started for it."""
    servers = Passwords(fleet)
    try:
        yield servers
    finally:
        servers.close()


def encoded(password: str) -> str:
    """Return a password as a URL may have it, with nothing left as it was."""
    return "".join(f"%{byte:02X}" for byte in password.encode())


def url_with(url: str, place: Place, password: str) -> str:
    """Return this URL with this password, in place of one that it may have."""
    parts = urlsplit(url)
    user, secret = parts.username or "", encoded(password)
    host = f"{parts.hostname}:{parts.port}"
    match place:
        case Place.USERINFO:
            return parts._replace(netloc=f"{user}:{secret}@{host}").geturl()
        case Place.TOKEN:
            return parts._replace(netloc=f"{secret}@{host}").geturl()
        case Place.QUERY:
            netloc = f"{user}@{host}" if user else host
            query = f"password={secret}"
            return parts._replace(netloc=netloc, query=query).geturl()
