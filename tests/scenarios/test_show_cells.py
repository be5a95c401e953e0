"""What a lane looks like as text, and what shows it: live and as plain lines."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.scenarios.performance import Outcome, Performance
from tests.scenarios.show.cells import Window, axis_of, strip, text_lanes
from tests.scenarios.show.frame import Room, View, frame
from tests.scenarios.show.live import LiveShow
from tests.scenarios.show.looks import GROUNDS, MARKS, can_write_glyphs
from tests.scenarios.show.marks import Kind
from tests.scenarios.show.plain import PlainShow
from tests.scenarios.show.timeline import timeline_of
from tests.scenarios.stores import STORES
from tests.scenarios.tales import (
    a_run,
    begun,
    claim,
    killed_and_taken_over,
    performance,
    report,
    run_report,
    scenario,
)

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def paper(encoding: str = "utf-8") -> io.TextIOWrapper:
    """Return a file that can write these characters only."""
    return io.TextIOWrapper(io.BytesIO(), encoding, newline="")


def written_on(file: io.TextIOWrapper) -> str:
    """Return what was written there."""
    file.seek(0)
    return file.read()


def on_all_stores() -> list[Performance]:
    """Return a performance on each store, one of them broken."""
    problem = "takeover: 9.00 s, not within 0.00 to 2.67 s\nand more"
    reports = killed_and_taken_over()
    return [
        performance(store.name, reports, problem if store.name == "sqlite" else None)
        for store in STORES
    ]


def test_lanes_show_the_kill_the_takeover_and_the_heartbeats() -> None:
    """A reader sees it without colour: who ran what, when it died, who went on."""
    lines = text_lanes(timeline_of(killed_and_taken_over()), span=5.0, width=53)
    assert [
        " A ─────1████•████✗",
        " B ─────⊘──────────────·──────────────2▓▓▓▓▓▓▓▓▓✓────",
        " C ──────────────────────────────────────────────────",
        "   0         1         2         3         4        5",
    ] == lines


def test_lanes_can_be_written_in_ascii() -> None:
    """Where only ASCII can be written, lanes look different and say the same."""
    timeline = timeline_of(killed_and_taken_over())
    lines = text_lanes(timeline, span=5.0, width=53, ascii_only=True)
    assert [
        " A -----1====*====X",
        " B -----s--------------.--------------2#########+----",
        " C --------------------------------------------------",
    ] == lines[:3]


def test_every_glyph_is_told_from_all_others_without_colour() -> None:
    """No two things look alike, with glyphs or without, and each takes one column."""
    looks = [*GROUNDS.values(), *MARKS.values()]
    for texts in ([one.glyph for one in looks], [one.plain for one in looks]):
        assert len(texts) == len(set(texts))
        assert {1} == {cell_len(text) for text in texts}
    assert all(look.plain.isascii() for look in looks)


def test_every_kind_of_mark_has_a_look_or_is_shown_by_a_bar() -> None:
    """Nothing that was reported is left out of a lane unseen."""
    assert {Kind.TAKEOVER, Kind.FROZEN, Kind.THAWED} == set(Kind) - set(MARKS)


def test_frozen_and_lost_stretches_are_seen() -> None:
    """A bar shows where its process stood still, and where its run was lost."""
    reports = [
        *begun(),
        run_report(0.5, "A", "start"),
        report(1.0, "A", "frozen"),
        report(2.0, "A", "thawed"),
        run_report(2.1, "A", "lost", cause="refused"),
        run_report(3.0, "A", "interrupted"),
    ]
    line, *_ = text_lanes(timeline_of(reports), span=3.5, width=38)
    assert " A ─────1████░░░░░░░░░░░L▒▒▒▒▒▒▒▒/────" == line


def test_newest_of_several_runs_is_on_top() -> None:
    """Where runs overlap on one instance, the beginning of each is seen."""
    starts = [run_report(at, "A", "start", slot=round(at)) for at in (1.0, 2.0)]
    line, *_ = text_lanes(timeline_of([*begun(), *starts]), span=2.0, width=23)
    assert " A ─────1█████████1████" == line


def test_number_of_an_attempt_is_over_the_claim_that_won_it() -> None:
    """What a claim led to is seen, and not the claim."""
    reports = [*begun(), *claim(1.0, "A", "won"), run_report(1.0, "A", "start")]
    skip = run_report(1.0, "A", "skip", reason="taken")
    line, *_ = text_lanes(timeline_of([*reports, skip]), span=1.0, width=13)
    assert " A ─────1████" == line


def test_deeds_done_to_the_store_are_below_in_words() -> None:
    """When the store went and came back is written under the lanes."""
    deeds = [report(at, "", what) for at, what in ((2.0, "down"), (3.0, "up"))]
    lines = text_lanes(timeline_of([*killed_and_taken_over(), *deeds]), 5.0, 53)
    assert f"{'':18}│down     │up" == lines[3]


@pytest.mark.parametrize("width", [4, 5, 12, 40, 200])
def test_lanes_keep_to_their_width(width: int) -> None:
    """However narrow, no line is wider than it may be."""
    deed = report(2.0, "", "a deed with a name longer than many a lane")
    timeline = timeline_of([*killed_and_taken_over(), deed])
    lines = text_lanes(timeline, timeline.end, width)
    assert [] == [line for line in lines if cell_len(line) > width]


def test_what_goes_on_is_drawn_until_now() -> None:
    """A lane that goes on has no future yet; one that is over is drawn to the edge."""
    lane = timeline_of(begun()).lanes[0]
    drawn = [
        "".join(
            cell.text
            for cell in strip(lane, Window(begin=0.0, end=10.0, cells=10, now=now))
        )
        for now in (4.5, None)
    ]
    assert ["─────     ", "──────────"] == drawn


@pytest.mark.parametrize("span", [0.0, 0.3, 7.0, 500.0])
def test_axis_has_seconds_that_do_not_touch(span: float) -> None:
    """Ticks are round, rising, with room between them."""
    axis = axis_of(Window(begin=0.0, end=span, cells=60))
    numbers = [float(number) for number in re.findall(r"[\d.]+", axis)]
    assert numbers == sorted(set(numbers))
    assert 0 == numbers[0]
    assert cell_len(axis) <= 60


def test_axis_has_no_half_numbers() -> None:
    """A number that doesn't fit isn't there at all: it would be another one."""
    axis = axis_of(Window(begin=0.0, end=10.0, cells=60))
    assert [*map(str, range(10)), "s"] == axis.split()


# --- plain lines ----------------------------------------------------------------------


def plain(performances: list[Performance], encoding: str = "utf-8") -> str:
    """Return all that a plain show prints."""
    file = paper(encoding)
    with PlainShow(file) as show:
        show.ended(scenario(title="The runner ⊘ killed"), performances)
        show.conclude(a_run(*performances))
    return written_on(file)


def test_plain_show_has_no_control_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is piped is plain text, even where colours are forced on others."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in plain(on_all_stores())


def test_plain_show_suits_files_without_utf8() -> None:
    """Where only ASCII can be written, nothing else is, and nothing fails."""
    text = plain(on_all_stores(), "ascii")
    assert text.isascii()
    assert " A -----" in text


def test_plain_show_tells_what_was_kept_and_broken() -> None:
    """Promises, problems with their stores, and times are there, and the summary."""
    text = plain(on_all_stores())
    for line in (
        "redis (lease, trio/asyncio/trio): kept: takeover 1.90 s, within 2.67 s",
        "  BROKEN  A backup takes over within 2.67 s.",
        "          sqlite: takeover: 9.00 s, not within 0.00 to 2.67 s",
        "  kept    A backup takes over within 2.67 s.",
        "1 of 6 performances broke a promise or failed, in 12 s.",
    ):
        assert f"{line}\n" in text


def test_plain_show_tells_why_a_play_failed() -> None:
    """What was never judged says why, with all its lines."""
    store = STORES[0]
    failed = Performance(
        scenario=2, store=store, outcome=Outcome.FAILED, why="not within 20 s:\nA story"
    )
    text = plain([failed])
    assert "redis (lease): FAILED: not within 20 s:\n" in text
    assert "          A story\n" in text


def test_glyphs_are_written_only_where_they_can_be() -> None:
    """A file that can't take them, or that says nothing of itself, gets ASCII."""
    assert can_write_glyphs(paper("utf-8"))
    assert not can_write_glyphs(paper("latin-1"))
    assert not can_write_glyphs(io.StringIO())


# --- live -----------------------------------------------------------------------------


def views() -> list[View]:
    """Return all stores while a scenario goes on, with something done to them."""
    timeline = timeline_of([*killed_and_taken_over(), report(2.0, "", "down")])
    return [View(store=store, timeline=timeline, performance=None) for store in STORES]


@pytest.mark.parametrize("height", [8, 12, 23, 40, 80])
@pytest.mark.parametrize("width", [40, 80, 99, 100, 200])
def test_frame_fits_its_terminal(width: int, height: int) -> None:
    """No frame is wider or higher than the terminal, and all stores are in it."""
    lines = frame(scenario(), views(), Room(width=width, height=height))
    assert len(lines) <= height
    assert [] == [line.plain for line in lines if line.cell_len > width]
    text = "\n".join(line.plain for line in lines)
    assert [] == [store.name for store in STORES if f" {store.name} (" not in text]


def test_wide_frame_has_lease_beside_claim_only() -> None:
    """Where there is room, stores of both kinds share a line; elsewhere none do."""
    pair = re.compile(r"redis \(lease\).*redis-script \(claim-only\)")
    for width, found in ((120, True), (80, False)):
        lines = frame(scenario(), views(), Room(width=width))
        assert found is any(pair.search(line.plain) for line in lines)


def test_stores_of_one_kind_have_all_the_width() -> None:
    """Nothing is left blank for what isn't played."""
    lease = [view for view in views() if view.store.leases]
    lines = frame(scenario(), lease, Room(width=120))
    assert any("2▓" in line.plain[60:] for line in lines)


@pytest.mark.parametrize("outcome", sorted({*Outcome} - {Outcome.BROKEN}))
def test_outcome_without_a_verdict_is_shown(outcome: Outcome) -> None:
    """Whatever becomes of a play, it is said in place, and why it went wrong below."""
    ended = Performance(scenario=2, store=STORES[0], outcome=outcome, why="no end")
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, height=30, _environ={})
    with LiveShow(console) as show:
        show.ended(scenario(), [ended])
    text = CONTROL.sub("", file.getvalue()).lower()
    assert f" redis (lease) {outcome}" in text
    went_wrong = outcome not in {Outcome.KEPT, Outcome.NOT_PLAYED}
    assert went_wrong is (" redis: no end" in text)


def test_live_show_leaves_each_scenario_and_the_summary() -> None:
    """What has ended stays to be read, with its problems; then comes the table."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=100, height=30, _environ={})
    performances = on_all_stores()
    with LiveShow(console) as show:
        show.watch([])
        show.ended(scenario(), performances)
        show.conclude(a_run(*performances))
    text = CONTROL.sub("", file.getvalue())
    for part in (" 2. The runner is killed", "takeover: 9.00 s, not", "Lease backend"):
        assert part in text
