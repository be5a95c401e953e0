"""The long search: all cores play every test again and again, with other draws.

Decides which tests, with which seeds, and when to end: after the time that was asked
for, or at the first failure, once the rounds in progress are over.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from threading import Event, Lock

HERE = ("property_tests",)
ON_SERVERS = ("tests/stores/test_models.py", "tests/stores/test_linearizable.py")


@dataclass
class Search:
    """A search until ``end``; ``servers`` is held by who plays on real servers."""

    end: float
    turns: "count[int]" = field(default_factory=count)
    servers: Lock = field(default_factory=Lock)
    failed: Event = field(default_factory=Event)

    def go_on(self, _: int) -> None:
        """Play round after round, on one core."""
        while time.monotonic() < self.end and not self.failed.is_set():
            self._play(next(self.turns))

    def _play(self, turn: int) -> None:
        # every other round, unless another core has started the servers just now
        on_servers = turn % 2 == 1 and self.servers.acquire(blocking=False)
        try:
            self._run(turn, ON_SERVERS if on_servers else HERE)
        finally:
            if on_servers:
                self.servers.release()

    def _run(self, turn: int, tests: tuple[str, ...]) -> None:
        seed = random.randrange(2**32)
        options = ["-x", "-q", "--hypothesis-profile=long", f"--hypothesis-seed={seed}"]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        print(f"\nround {turn}: {' '.join(command)}\n{done.stdout}", flush=True)
        if done.returncode:
            self.failed.set()


def main() -> int:
    """Search, and return 1 if a test failed."""
    parser = argparse.ArgumentParser(prog="python -m property_tests")
    parser.add_argument("--minutes", type=float, default=60.0, help="60 if not given")
    search = Search(time.monotonic() + parser.parse_args().minutes * 60)
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(search.go_on, range(cores)))
    return int(search.failed.is_set())


if __name__ == "__main__":
    sys.exit(main())
