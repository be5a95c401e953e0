"""The page about jobs is true: its programs run, its options are the library's."""

import ast
import re

import pytest

from anarchon import Jobs
from anarchon.options import OPTION_NAMES, Options
from tests.pages import ROOT, blocks

PAGE = ROOT / "docs" / "jobs.md"
OPTION_ROWS = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", PAGE.read_text(), re.MULTILINE)


@pytest.mark.parametrize("program", blocks(PAGE, "python"))
def test_programs_declare_what_they_show(program: str) -> None:
    """Each example can be copied as it stands."""
    exec(compile(program, PAGE.name, "exec"), {"__name__": "example"})


def test_default_of_each_option_is_as_tabled() -> None:
    """The table has every option, in order, with the default that it really has."""
    tabled = {name: ast.literal_eval(default) for name, default in OPTION_ROWS}
    assert OPTION_NAMES == tuple(tabled)
    assert tabled == {name: getattr(Options(), name) for name in OPTION_NAMES}


def test_schedule_of_the_page_is_one() -> None:
    """The example of an own schedule keeps the promises of the two methods."""
    names: dict[str, object] = {}
    (program,) = (text for text in blocks(PAGE, "python") if "EachNight" in text)
    exec(compile(program, PAGE.name, "exec"), names)
    jobs = names["jobs"]
    assert isinstance(jobs, Jobs)
    (job,) = jobs
    two_o_clock, day = 7_200_000, 86_400_000
    assert two_o_clock == job.schedule.next_after(two_o_clock - 1)
    assert two_o_clock + day == job.schedule.next_after(two_o_clock)
    assert two_o_clock == job.schedule.latest_at(two_o_clock)
    assert two_o_clock - day == job.schedule.latest_at(two_o_clock - 1)
