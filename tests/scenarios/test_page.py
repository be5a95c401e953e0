"""The page for users says what the scenarios say, and nothing that wasn't played."""

from tests.scenarios.page import KEPT, PAGE, Kept, page_of
from tests.scenarios.plays import SCENARIOS


def test_page_is_made_from_the_scenarios() -> None:
    """Titles, stories and promises are those that were judged, word for word.

    Whoever changes one makes the page again: nox -s scenarios -- --page
    """
    kept = Kept.from_json(KEPT.read_text())
    assert page_of(SCENARIOS, kept) == PAGE.read_text()


def test_page_has_a_timeline_for_each_side() -> None:
    """Each scenario was played on either kind of store when the page was made."""
    kept = Kept.from_json(KEPT.read_text())
    sides = {
        f"{one.number} {kind}" for one in SCENARIOS for kind in ("lease", "claims")
    }
    assert sides == set(kept.lanes)


def test_scenarios_are_numbered_in_order() -> None:
    """So a number on the command line is the one in the table."""
    numbers = [scenario.number for scenario in SCENARIOS]
    assert [*range(1, len(SCENARIOS) + 1)] == numbers


def test_promises_of_a_side_differ() -> None:
    """Verdicts are told apart by the promise's text."""
    for scenario in SCENARIOS:
        for side in (scenario.lease, scenario.claims):
            texts = [promise.text for promise in side.promises]
            assert sorted(set(texts)) == sorted(texts)
