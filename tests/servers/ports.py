"""Ports that are free on this machine.

Decides where they are looked for: below those that a system usually gives to clients,
so that a server finds its own port free again after it was down.
"""

import random
import socket
from contextlib import closing

LOWEST, FIRST_OF_CLIENTS = 10_000, 32_768
_given: set[int] = set()
_chance = random.SystemRandom()


def free_port() -> int:
    """Return a port of the loopback that nobody uses, each one once."""
    while True:
        port = _chance.randrange(LOWEST, FIRST_OF_CLIENTS)
        if port not in _given and _is_free(port):
            _given.add(port)
            return port


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as probe:
        # else the remains of closed connections would count as use
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
