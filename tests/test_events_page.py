"""The page about events is true: its table has all of them, with their fields."""

import logging
import re
from dataclasses import fields

import pytest

from anarchon import events
from anarchon.events import EVENT_NAMES, Error, Event, RunEvent
from tests.pages import ROOT

PAGE = (ROOT / "docs" / "events.md").read_text()
ROW = r"^\| `(\w+)` \| `(\w+)` \| (.*?) \| .* \| (\w+) \|$"
ROWS = {name: rest for name, *rest in re.findall(ROW, PAGE, re.MULTILINE)}
CLASSES = [kind for kind in vars(events).values() if isinstance(kind, type)]
KINDS = [kind for kind in CLASSES if issubclass(kind, Event) and hasattr(kind, "name")]
EVENTS = {kind.name: kind for kind in KINDS}


def test_the_table_has_every_event() -> None:
    """None is missing, and none is made up."""
    assert EVENT_NAMES == set(ROWS) == set(EVENTS)


@pytest.mark.parametrize("kind", EVENTS.values(), ids=EVENTS)
def test_an_event_is_as_tabled(kind: type[Event]) -> None:
    """Its class, the fields beyond the common ones, and its level in the log."""
    class_name, told, level = ROWS[kind.name]
    common = RunEvent if issubclass(kind, RunEvent) else Event
    own = {field.name for field in fields(kind)} - {f.name for f in fields(common)}
    assert kind.__name__ == class_name
    assert own == set(re.findall(r"`(\w+)`", told))
    assert kind.level == logging.getLevelNamesMapping()[level.upper()]


def test_those_without_a_run_come_last() -> None:
    """The sentence below the table says which events are about a run."""
    about_runs = [issubclass(EVENTS[name], RunEvent) for name in ROWS]
    assert [True] * 7 + [False] * 2 == about_runs
    assert Error.name in list(ROWS)[-2:]
