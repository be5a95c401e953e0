"""What a NATS store may be given, before anything connects."""

import pytest

from anarchon.backends import backend_from
from anarchon.backends.nats import NatsBackend
from anarchon.backends.nats.servers import Server, Servers
from anarchon.errors import InvalidOption


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("nats://h", [Server(url="nats://h:4222")]),
        ("tls://h:1", [Server(url="tls://h:1")]),
        ("nats://[::1]:7", [Server(url="nats://[::1]:7")]),
        ("nats://t%40@h", [Server(url="nats://h:4222", token="t@")]),
        (
            "nats://u%3A:p%2C@h:1,i",
            [
                Server(url="nats://h:1", user="u:", password="p,"),
                Server(url="nats://i:4222", user="u:", password="p,"),
            ],
        ),
        (
            "nats://a:b@h,nats://c:d@i",
            [
                Server(url="nats://h:4222", user="a", password="b"),
                Server(url="nats://i:4222", user="c", password="d"),
            ],
        ),
    ],
)
def test_url_names_servers_and_secrets(url: str, servers: list[Server]) -> None:
    """Hosts are separated by commas, and secrets are percent-decoded."""
    assert tuple(servers) == Servers(url).servers


def test_url_has_options() -> None:
    """What the constructor takes by name, a URL has behind its question mark."""
    url = "nats://h,i?namespace=other&remember=2h&replicas=3&tls_ca=ca.pem"
    backend = backend_from(url)
    assert isinstance(backend, NatsBackend)
    assert ("other", 7_200.0, 3) == (
        backend.namespace,
        backend.remembers,
        backend.replicas,
    )
    assert (
        "NatsBackend('nats://h,i', namespace='other', remember=7200, replicas=3)"
        == repr(backend)
    )


@pytest.mark.parametrize(
    "url",
    [
        "nats://",
        "nats://h,",
        "nats://h:port",
        "nats://h/path",
        "nats://h?remembers=3",
        "nats://h?remember=soon",
        "nats://h?remember=0.5",
        "nats://h?replicas=6",
        "nats://h?replicas=two",
        "nats://h?namespace=a.b",
        "nats://h#fragment",
    ],
)
def test_bad_url_is_refused(url: str) -> None:
    """A URL that can't be meant so is refused before anything connects."""
    with pytest.raises(InvalidOption):
        backend_from(url)


@pytest.mark.parametrize("option", ["namespace=x", "remember=2h", "replicas=3"])
def test_option_has_one_place(option: str) -> None:
    """What the constructor takes by name isn't overlooked where it is in the URL."""
    with pytest.raises(InvalidOption, match=f"of options tls_ca; .* with {option}"):
        NatsBackend(f"nats://h?{option}")


@pytest.mark.parametrize("replicas", [0, 6, True, 2.0, "two", None])
def test_odd_number_of_replicas_is_refused(replicas: object) -> None:
    """Anything but a whole number that a cluster can have is named."""
    with pytest.raises(InvalidOption, match=f"1 to 5, not {replicas!r}"):
        NatsBackend("nats://h", replicas=replicas)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, 17, b"nats://h", ["nats://h"]])
def test_what_is_no_client_is_refused(given: object) -> None:
    """Neither a URL, nor a client, nor a function: the error says what is allowed."""
    with pytest.raises(InvalidOption, match="client of nats-py"):
        NatsBackend(given)  # type: ignore[arg-type]


def test_secrets_of_all_servers_are_hidden() -> None:
    """No text of a backend has anything that is before an @."""
    url = "nats://ann:secret@h,nats://token@i,bob:hidden@j"
    shown = repr(NatsBackend(url))
    assert "'nats://***@h,i,j'" in shown
    told = Servers(url).redact("secret, token, hidden")
    assert "***, ***, ***" == told
