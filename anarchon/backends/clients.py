"""Clients that the user made, in place of a URL.

Decides where such a client may be used. Must not know any driver.
"""

from anarchon.bridge import Bridge, is_away
from anarchon.errors import InvalidOption


def check_home(backend: str, bridge: Bridge | None) -> None:
    """Refuse a user's client that was left behind in another loop than this one.

    Call it in ``open``, of a backend that was given a client.

    Raises:
        InvalidOption: the host runs on Trio and brought no bridge; says how to.
    """
    if bridge is None and is_away():
        raise InvalidOption(
            f"in a Trio program a client for {backend} comes with the bridge that it "
            "lives behind: async with anarchon.open_bridge() as bridge, then "
            f"client = await bridge.call(make_client) and "
            f"{backend}(client, bridge=bridge)"
        )
