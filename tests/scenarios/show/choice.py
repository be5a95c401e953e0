"""Which show suits whoever looks."""

import os

from rich.console import Console

from tests.scenarios.show.live import LiveShow
from tests.scenarios.show.plain import PlainShow
from tests.scenarios.show.run import Show


def show_for(*, plain: bool = False) -> Show:
    """Return a live show on a terminal; elsewhere, and if it's asked for, plain lines.

    Logs of CI get plain lines even where they pass for a terminal.
    """
    console = Console(highlight=False)
    draws = console.is_terminal and not console.is_dumb_terminal
    if plain or not draws or os.environ.get("CI"):
        return PlainShow()
    return LiveShow(console)
