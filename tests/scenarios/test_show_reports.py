"""The report of a run: one page of HTML that stands alone, and JSON."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from tests.scenarios.performance import Outcome, Performance
from tests.scenarios.show.data import json_of
from tests.scenarios.show.html import html_of, prose
from tests.scenarios.show.marks import Kind
from tests.scenarios.show.markup import Markup, tag
from tests.scenarios.show.run import Run
from tests.scenarios.show.shapes import SHAPES
from tests.scenarios.show.svg import drawing_of, rows_of
from tests.scenarios.show.timeline import Bar, End, timeline_of
from tests.scenarios.stores import STORES
from tests.scenarios.tales import (
    PROMISE,
    a_run,
    begun,
    killed_and_taken_over,
    performance,
    report,
    run_report,
    scenario,
)

HOSTILE = "<script>alert('x')</script> & \"more\""
HTML_VOID = {"meta"}


class Reader(HTMLParser):
    """Reads a page: holds that every element ends where it should; keeps attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.tags: set[str] = set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember it."""
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in HTML_VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Hold that it ends the last one."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Gather what is read."""
        self.text += data

    def all(self, name: str) -> list[str]:
        """Return the values of an attribute."""
        return [value or "" for key, value in self.attributes if key == name]


def run_on_all_stores() -> Run:
    """Return a run on all stores, one of them broken, one without a play."""
    played = [performance(one.name, killed_and_taken_over()) for one in STORES[:-2]]
    broken = performance("rabbitmq", killed_and_taken_over(), problem="no takeover")
    absent = Performance(
        scenario=2, store=STORES[-1], outcome=Outcome.NOT_PLAYED, why="no clock"
    )
    return a_run(*played, broken, absent)


def test_page_is_whole() -> None:
    """Every element ends where it should, and nothing is left open."""
    assert [] == Reader(html_of(run_on_all_stores())).open


def test_page_needs_nothing_else() -> None:
    """No address is in it but of its own parts, and each of those is there."""
    page = html_of(run_on_all_stores())
    reader = Reader(page)
    links = reader.all("href")
    assert {"#"} == {link[0] for link in links}
    assert set() == {link[1:] for link in links} - set(reader.all("id"))
    assert [] == reader.all("src")
    assert set() == reader.tags & {"script", "link", "img", "iframe"}
    assert None is re.search(r"@import|url\(|https?:", page)


def test_page_tells_all_of_a_run() -> None:
    """Story, verdicts, times, problems, versions, date and advice are to be read."""
    text = Reader(html_of(run_on_all_stores())).text
    for part in (
        "2. The runner is killed",
        "A job.",
        PROMISE,
        "takeover 1.90 s, within 2.67 s",
        "rabbitmq: no takeover",
        "no clock",
        "2030-01-02 03:04 UTC",
        "CPython 3.11.7",
        "redis8 8.2.1",
        "None.",
    ):
        assert part in text


def test_page_suits_light_and_dark() -> None:
    """Both have their colours, and every colour that is used has a value in both."""
    page = html_of(a_run())
    light, dark = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    names = set(re.findall(r"var\((--[\w-]+)\)", page))
    for colours in (light, dark):
        assert names <= set(re.findall(r"(--[\w-]+):", colours))
    assert "prefers-color-scheme: dark" in page


def test_page_takes_every_text_for_text() -> None:
    """Whatever a scenario, a store or an error is called, it is only read."""
    hostile = scenario(title=HOSTILE, story=HOSTILE)
    failed = Performance(
        scenario=2, store=STORES[0], outcome=Outcome.FAILED, why=HOSTILE
    )
    strange = [*killed_and_taken_over(), report(2.0, "", HOSTILE)]
    broken = performance("nats", strange, problem=HOSTILE)
    page = html_of(a_run(failed, broken, of=hostile))
    reader = Reader(page)
    assert "script" not in reader.tags
    assert [] == reader.open
    assert reader.text.count(HOSTILE) >= 5


def test_markup_escapes_children_and_attributes() -> None:
    """Only what is markup already gets in as it is."""
    made = tag("p", "a < b", Markup("<b>c</b>"), title='"&', data_x=1.5)
    assert '<p title="&quot;&amp;" data-x="1.5">a &lt; b<b>c</b></p>' == made


def test_prose_has_code_and_no_links() -> None:
    """Code is marked; a link to a page that isn't here is only its words."""
    text = "Say `a < b`, see [Long runs](handlers.md#long-runs)."
    assert "Say <code>a &lt; b</code>, see Long runs." == prose(text)


# --- drawings -------------------------------------------------------------------------


def drawing(*more: str) -> ET.Element:
    """Return the drawing of the tale, with something done to the store."""
    deeds = [report(3.0, "", what) for what in more]
    timeline = timeline_of([*killed_and_taken_over(), *deeds])
    return ET.fromstring(drawing_of(timeline, timeline.end, "Timeline on redis"))


def test_drawing_is_told_to_whoever_cannot_see_it() -> None:
    """It is one image, and its label tells who was killed and who went on."""
    label = drawing().get("aria-label", "")
    assert "img" == drawing().get("role")
    assert label.startswith("Timeline on redis: ")
    assert "1.5 s A killed" in label
    assert "B takes sync over from A" in label


def test_drawing_has_a_bar_for_each_attempt_and_a_title_for_each_mark() -> None:
    """Bars tell what they are, and whatever is marked can be asked what it is."""
    boxes = [box.get("class") for box in drawing().iter("rect")]
    assert ["first", "later"] == boxes
    titles = [title.text for title in drawing().iter("title")]
    assert "sync, attempt 1: killed, from 0.52 s to 1.50 s" in titles
    assert "1.00 s: heartbeat of sync" in titles


def test_drawing_stays_within_its_bounds() -> None:
    """Nothing is drawn outside, though processes began before time did."""
    image = drawing("down")
    _, _, width, height = map(float, image.get("viewBox", "").split())
    for element in image.iter():
        for key, most in (("x1", width), ("x2", width), ("y1", height), ("y2", height)):
            assert 0 <= float(element.get(key, 0)) <= most


def test_deed_done_to_the_store_goes_through_all_lanes() -> None:
    """What concerns all instances is drawn across all, and named."""
    image = drawing("store down")
    assert 1 == sum(line.get("class") == "pole" for line in image.iter("line"))
    assert "store down" in {text.text for text in image.iter("text")}


def test_runs_at_once_are_drawn_in_rows_of_their_own() -> None:
    """Bars of one lane never lie on each other, and a free row is used again."""

    def bar(begin: float, end: float | None) -> Bar:
        return Bar(run="sync", attempt=1, begin=begin, end=end, how=End.OPEN)

    bars = [bar(0, 5), bar(1, 3), bar(2, None), bar(4, 6), bar(5, 6)]
    assert [0, 1, 2, 1, 0] == rows_of(bars)


def test_end_of_a_run_is_marked_in_its_own_row() -> None:
    """Of two runs at once, the tick of the second is beside the second's bar."""
    told = [run_report(at, "A", "start", slot=slot) for at, slot in ((1, 8), (2, 9))]
    told += [run_report(at, "A", "success", slot=at + 5) for at in (3, 4)]
    timeline = timeline_of([*begun(), *told])
    image = ET.fromstring(drawing_of(timeline, timeline.end, "redis"))
    ticks = [
        float((mark.get("transform") or "").rstrip(")").split()[-1])
        for mark in image.iter("g")
        if mark.get("class") == "mark success"
    ]
    assert [16.0, 36.0] == ticks


def test_every_kind_of_mark_has_a_shape_or_is_a_stretch() -> None:
    """Nothing that was reported is left out of a drawing unseen."""
    assert {Kind.FROZEN, Kind.THAWED} == set(Kind) - set(SHAPES)


@pytest.mark.parametrize("span", [0.0, 0.2, 900.0])
def test_drawing_of_any_length_is_drawn(span: float) -> None:
    """A run of no time and a very long one have a drawing as well."""
    assert ET.fromstring(drawing_of(timeline_of([]), span, "none")) is not None


# --- JSON -----------------------------------------------------------------------------


def test_json_tells_all_of_a_run() -> None:
    """Scenarios, verdicts, times, lanes and reports are there as plain values."""
    told = json.loads(json_of(run_on_all_stores()))
    assert ("2030-01-02T03:04:00+00:00", 12.0) == (told["began"], told["took"])
    assert [PROMISE] == told["scenarios"][0]["lease"]["promises"]
    first, broken = told["performances"][0], told["performances"][4]
    assert ("redis", True, "kept") == tuple(
        first[k] for k in ("store", "leases", "outcome")
    )
    time = {"what": "takeover", "seconds": 1.9, "within": 2.67}
    assert [{"promise": PROMISE, "problem": None, "time": time}] == first["verdicts"]
    assert ("broken", "no takeover") == (
        broken["outcome"],
        broken["verdicts"][0]["problem"],
    )


def test_json_has_the_lanes_as_they_are_drawn() -> None:
    """Lives, bars and marks of each instance are there, times in seconds."""
    told = json.loads(json_of(run_on_all_stores()))
    lane, *_ = told["performances"][0]["timeline"]["lanes"]
    assert ("A", "killed", 1.5) == (
        lane["name"],
        lane["bars"][0]["how"],
        lane["bars"][0]["end"],
    )
    assert "killed" in {mark["kind"] for mark in lane["marks"]}
    assert lane["lives"][0]["killed"]


def test_reports_in_json_leave_out_only_what_says_nothing() -> None:
    """The reports can be read back, as they were."""
    told = json.loads(json_of(run_on_all_stores()))
    reports = killed_and_taken_over()
    usual = replace(reports[0], job="", slot=0, attempt=0)
    back = [replace(usual, **one) for one in told["performances"][0]["reports"]]
    assert reports == back
