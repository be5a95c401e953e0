"""Three NATS servers that are one cluster.

Decides how they find each other. Must not know what is done with them.
"""

import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from tests.servers.fleet import Fleet
from tests.servers.ports import free_port
from tests.servers.server import Server

COUNT = 3


@contextmanager
def cluster(fleet: Fleet) -> Generator[dict[str, Server]]:
    """Start the servers at the same time, since none is well alone; by their names."""
    ports = [free_port() for _ in range(COUNT)]
    routes = [f"nats://127.0.0.1:{port}" for port in ports]
    servers = {}
    for port in ports:
        name = f"at-{port}"
        listen = {"name": "three", "listen": f"127.0.0.1:{port}", "routes": routes}
        settings = {"server_name": name, "cluster": json.dumps(listen)}
        servers[name] = fleet.fresh("nats215", settings=settings)
    with ExitStack() as stack, ThreadPoolExecutor(COUNT) as threads:
        for started in threads.map(stack.enter_context, servers.values()):
            assert started.running
        yield servers
