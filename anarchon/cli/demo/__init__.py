"""``anarchon demo``: three processes, one of them killed, one stopped.

Decides how the show, its screen and its verdict come together, and that processes and
files are gone when it ends, however it ends.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import anyio
from anyio.abc import TaskStatus

import anarchon
from anarchon.cli.demo.acts import Show
from anarchon.cli.demo.plain import PlainScreen
from anarchon.cli.demo.plan import HEARTBEAT, JOBS, LEASE, LONGEST, works
from anarchon.cli.demo.screen import Screen
from anarchon.cli.demo.story import Story
from anarchon.cli.demo.verdict import verdict
from anarchon.cli.processes import Cluster, InstanceFailed
from anarchon.cli.setup import Setup

FRAME = 0.1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HISTORY = 500


def run(loop: str, *, plain: bool) -> int:
    """Show the demo; return 0 if every promise was kept, 1 if not.

    SIGINT, SIGTERM and SIGHUP end it early, with 128 and their number; so does a
    standard output that nobody reads any more, as SIGPIPE.
    """
    status = 128 + signal.SIGPIPE
    try:
        status = anyio.run(_run, loop, _screen(loop, plain=plain), backend=loop)
    except* BrokenPipeError:
        # what is left in the buffer would fail again when the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _screen(loop: str, *, plain: bool) -> Screen:
    unicode = sys.stdout.encoding.lower() in {"utf-8", "utf8"}
    dumb = os.environ.get("TERM", "dumb") == "dumb"
    if plain or dumb or not unicode or not sys.stdout.isatty():
        return PlainScreen(loop)
    # rich takes longer to load than all the rest
    from anarchon.cli.demo.live import LiveScreen

    return LiveScreen(loop)


async def _run(loop: str, screen: Screen) -> int:
    statuses: list[int] = []
    with screen:
        async with anyio.create_task_group() as group:
            await group.start(_end_on_signal, group.cancel_scope, statuses)
            statuses.append(await _present(loop, screen))
            group.cancel_scope.cancel()
    return statuses[0]


async def _end_on_signal(
    scope: anyio.CancelScope,
    statuses: list[int],
    *,
    task_status: TaskStatus[None],
) -> None:
    with anyio.open_signal_receiver(*SIGNALS) as received:
        task_status.started()
        async for number in received:
            statuses.append(128 + number)
            scope.cancel()


async def _present(loop: str, screen: Screen) -> int:
    story = Story(began=time.time())
    with TemporaryDirectory(
        prefix="anarchon-demo-", ignore_cleanup_errors=True
    ) as name:
        store = f"sqlite:///{quote(str(Path(name, 'demo.db')))}"
        failures = [await _perform(story, screen, _setups(loop, store, name))]
        records: list[anarchon.RunRecord] = []
        try:
            records += await _history(store)
        except anarchon.AnarchonError as error:
            failures.append(str(error))
    promises = verdict(story, records, *filter(None, failures))
    screen.conclude(story, records, promises)
    return 0 if all(promise.kept for promise in promises) else 1


def _setups(loop: str, store: str, folder: str) -> Callable[[str], Setup]:
    jobs = works(time.time())

    def setup_of(instance_id: str) -> Setup:
        return Setup(
            instance_id=instance_id,
            store=store,
            loop=loop,
            lease=LEASE,
            heartbeat=HEARTBEAT,
            works=jobs,
            remove=folder,
        )

    return setup_of


async def _perform(
    story: Story, screen: Screen, setup_of: Callable[[str], Setup]
) -> str | None:
    """Play the show on the screen; return why it ended early, if it did."""
    failure: str | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_keep_showing, story, screen)
        show = Show(Cluster(group, story.hear), story, setup_of)
        failure = await _play(show)
        group.cancel_scope.cancel()
    screen.refresh(story, time.time())
    return failure


async def _play(show: Show) -> str | None:
    try:
        with anyio.move_on_after(LONGEST):
            await show.play()
            return None
    except InstanceFailed as error:
        return str(error)  # noqa: ASYNC910  the show has waited
    return f"after {LONGEST:g} s still waiting for {show.awaited}"


async def _keep_showing(story: Story, screen: Screen) -> None:
    while True:
        screen.refresh(story, time.time())
        await anyio.sleep(FRAME)


async def _history(store: str) -> list[anarchon.RunRecord]:
    async with anarchon.open_scheduler(store, start=False) as scheduler:
        return [r for job in JOBS for r in await scheduler.history(job, HISTORY)]
