"""What the demo looks like: plain lines for files, lanes for terminals."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from anarchon.cli.demo.lanes import Window, strip
from anarchon.cli.demo.live import LiveScreen
from anarchon.cli.demo.plain import PlainScreen
from anarchon.cli.demo.verdict import verdict
from tests.cli.tale import BEGAN, Tale, a_good_tale

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*[34][0-7][0-9;]*m")


def on_paper(tale: Tale, capsys: pytest.CaptureFixture[str]) -> str:
    """Return a whole show as plain lines."""
    story = tale.story()
    with PlainScreen("trio") as screen:
        screen.refresh(story, BEGAN + 18)
        screen.conclude(story, tale.records, verdict(story, tale.records))
    return capsys.readouterr().out


def on_terminal(tale: Tale, width: int, height: int = 24, **options: bool) -> str:
    """Return all that a whole show writes to a terminal."""
    paper = io.StringIO()
    console = Console(
        file=paper,
        force_terminal=True,
        color_system="truecolor",
        width=width,
        height=height,
        highlight=False,
        _environ={},
        **options,  # type: ignore[arg-type]
    )
    story = tale.story()
    with LiveScreen("trio", console) as screen:
        for second in range(19):
            screen.refresh(story, BEGAN + second)
        screen.conclude(story, tale.records, verdict(story, tale.records))
    return paper.getvalue()


def frames(written: str) -> list[str]:
    """Split what was written to a terminal at each frame's title, without codes."""
    return CONTROL.sub("", written).replace("\r", "").split("\n anarchon demo")[1:]


def test_plain_show_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    """Plain lines have no control codes, fit in 80 columns, and suit every file."""
    text = on_paper(a_good_tale(), capsys)
    assert text.isascii()
    assert "\x1b" not in text
    assert [] == [line for line in text.splitlines() if len(line) > 79]


def test_plain_show_tells_all(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes, the gathered runs of the short job, history and verdict are all there."""
    text = on_paper(a_good_tale(), capsys)
    for line in (
        "    1.1 s     sync is run by A B C A B C",
        "    4.1 s  A  runs report",
        "    7.3 s  B  runs report again, attempt 2, 1.79 s after the kill",
        "        1  A     4.10 s    7.30 s  interrupted",
        "        1  B    12.10 s   13.50 s  interrupted, handed over",
        "        2  C    13.90 s   16.90 s  success",
        "  kept    A killed runner's run is taken over    after 1.80 s, at most 2.40 s",
    ):
        assert f"{line}\n" in text


def test_plain_show_prints_each_note_once(capsys: pytest.CaptureFixture[str]) -> None:
    """However often the screen is refreshed, a note is printed once."""
    story = a_good_tale().story()
    with PlainScreen("trio") as screen:
        for _ in range(3):
            screen.refresh(story, BEGAN)
    assert 1 == capsys.readouterr().out.count("A  runs report\n")


def test_broken_promise_is_shown_with_its_problems(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A broken promise is followed by its first problems, and the number of others."""
    tale = a_good_tale()
    tale.records = tale.records[-3:]
    text = on_paper(tale, capsys)
    assert "  BROKEN  Instances and history tell the same\n          - attempt" in text
    assert "          - and 4 more\n" in text


def test_lanes_show_who_ran_what() -> None:
    """A lane has its starts, runs, kill and hand-over where they happened."""
    window = Window(BEGAN, 0.5, 40)
    lanes = a_good_tale().story().lanes.values()
    assert [
        "┄─•──•──1██✗  ┄─────────────────────    ",
        "┄──•──•───────2▓▓▓▓▓▓───1██»            ",
        "┄───•──•───────────────────2▓▓▓▓▓▓──    ",
    ] == [strip(lane, window, BEGAN + 20).plain for lane in lanes]


def test_lane_moves_when_the_show_is_long() -> None:
    """Of a show that is longer than the window, what came before is left out."""
    lane = a_good_tale().story().lanes["A"]
    shown = strip(lane, Window(BEGAN + 5, 0.5, 12), BEGAN + 11).plain
    assert "█✗  ┄───────" == shown


@pytest.mark.parametrize(
    ("width", "height"), [(40, 14), (40, 24), (60, 24), (80, 24), (120, 50)]
)
def test_frames_fit_the_terminal(width: int, height: int) -> None:
    """Frames that are redrawn in place are never cropped, and their lanes are whole."""
    shown = frames(on_terminal(a_good_tale(), width, height))
    assert len(shown) >= 19
    for frame in shown[:-1]:
        lines = frame.splitlines()
        lanes = [line for line in lines if line[:4] in {" A  ", " B  ", " C  "}]
        assert 3 == len(lanes)
        assert [] == [line for line in lanes if "…" in line]
        assert [] == [line for line in lines if line.strip() == "..."]
        assert [] == [line for line in lines if cell_len(line) > width]


def test_last_frame_stays_with_all_notes() -> None:
    """When the show is over, all of it can be read, above history and verdict."""
    last = frames(on_terminal(a_good_tale(), 80, 14))[-1]
    for text in (
        "0.6 s  A  is ready, process 101",
        "17.6 s  C  has ended",
        "History, as the store has it",
        "kept    Instances and history tell the same",
    ):
        assert text in last


def test_colours_are_left_out_on_request() -> None:
    """Without colours nothing of the lanes is lost."""
    plain = on_terminal(a_good_tale(), 80, no_color=True)
    coloured = on_terminal(a_good_tale(), 80)
    assert COLOUR.search(coloured)
    assert not COLOUR.search(plain)
    assert frames(coloured) == frames(plain)
