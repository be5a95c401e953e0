"""A server's URL: what of it is shown, and what is kept back."""

from urllib.parse import unquote

import pytest

from anarchon.backends.address import Address, need_driver, reaching
from anarchon.errors import BackendTooOld, BackendUnavailable, InvalidOption

URLS = {
    "redis://tom:s3cret@host:6379/0": "redis://***@host:6379/0",
    "redis://:s3cret@host": "redis://***@host",
    "nats://s3cret@host:4222": "nats://***@host:4222",
    "amqp://tom:s3cret%40@host/%2F": "amqp://***@host/%2F",
    "postgresql://host/db?password=s3cret&user=tom": "postgresql://host/db",
    "postgresql://tom:s3@cret@host/db": "postgresql://***@host/db",
    "postgresql://tom:s3cret@a:1,b:2/db": "postgresql://***@a:1,b:2/db",
    "postgresql:///db?password=s3cret": "postgresql:///db",
}


@pytest.mark.parametrize(("url", "shown"), URLS.items())
def test_secrets_are_not_shown(url: str, shown: str) -> None:
    """Neither text nor repr have a password, a token or the driver's options."""
    address = Address(url)
    assert (shown, repr(shown)) == (str(address), repr(address))
    assert url == address.url


@pytest.mark.parametrize("url", URLS)
def test_secrets_are_taken_out_of_messages(url: str) -> None:
    """What a driver says of a URL, encoded or not, is told without its secret."""
    for secret in ("s3cret%40", "s3@cret", "s3cret"):
        if secret in url:
            told = Address(url).redact(
                f"can't log in with {secret} or {unquote(secret)}!"
            )
            assert "can't log in with *** or ***!" == told
            break


def test_own_options_are_taken_out() -> None:
    """Options that are anarchon's don't reach the driver, the driver's own do."""
    address = Address("redis://host/1?strategy=idmp&protocol=3", own=("strategy",))
    assert {"strategy": "idmp"} == address.options
    assert "redis://host/1?protocol=3" == address.url


@pytest.mark.parametrize("url", ["redis://h:port/", "redis://[::1/", "redis://h/#x"])
def test_unreadable_url_is_refused(url: str) -> None:
    """A URL that no driver could use is refused where it is given."""
    with pytest.raises(InvalidOption, match="redis://"):
        Address(url)


def test_unreachable_store_is_named_without_secrets() -> None:
    """The reason stays, the secret in it doesn't, nor in what it was raised from."""
    with pytest.raises(BackendUnavailable) as caught, reaching(Address("x://u:pw@h")):
        raise OSError("no route to x://u:pw@h")
    assert "x://***@h can't be used: OSError: no route to x://u:***@h" == str(
        caught.value
    )
    assert caught.value.__suppress_context__


def test_error_without_a_text_is_named() -> None:
    """Of an error that says nothing, as a wait that took too long, its kind stays."""
    told = r"^x://h can't be used: TimeoutError$"
    with pytest.raises(BackendUnavailable, match=told), reaching(Address("x://h")):
        raise TimeoutError


def test_named_errors_pass() -> None:
    """An error that is already the user's stays what it is."""
    with pytest.raises(BackendTooOld), reaching("a client"):
        raise BackendTooOld("needs 7, found 6")


def test_missing_driver_is_named_with_its_extra() -> None:
    """What is missing, and what brings it."""
    need_driver("sqlite3", "sqlite", "SQLite")
    with pytest.raises(
        InvalidOption, match=r"needs no_such: pip install 'anarchon\[thing\]'"
    ):
        need_driver("no_such", "thing", "Thing")
