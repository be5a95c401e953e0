"""The pages for users are true: their links lead somewhere, their commands are CI's."""

from pathlib import Path

import pytest

from tests.pages import PAGES, ROOT, anchors, blocks, links, sections

README = ROOT / "README.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    assert [] == [link for link in links(page) if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_sections_find_them(page: Path) -> None:
    """Every anchor in a link is that of a heading."""
    targets = sections(page)
    assert [] == [name for target, name in targets if name not in anchors(target)]


def test_index_lists_every_page() -> None:
    """No page of the docs is hidden from the index."""
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert set() == pages - set(links(ROOT / "docs" / "index.md")) - {"index.md"}


def test_readme_sets_up_by_two_commands() -> None:
    """One line runs the demo and one the tests, each from nothing."""
    demo, tests = blocks(README, "sh")
    for command in (demo, tests):
        assert command.startswith("python3 -m venv .venv && ")
        assert 1 == command.count("\n")
    assert demo.endswith("/anarchon demo\n")
    assert tests.endswith("/nox -s tests\n")


def test_ci_takes_its_test_command_from_the_readme() -> None:
    """The script of CI names no test command of its own for the everyday tests."""
    script = (ROOT / ".ci" / "run").read_text()
    assert "README.md" in script
    assert "-s tests" not in script
