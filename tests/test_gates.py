"""The project's own gates can fail: each is shown what it exists to catch."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.check_shields import unbounded

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "code",
    [
        "anyio.CancelScope(shield=True)",
        "CancelScope(shield=flag)",
        "anyio.CancelScope(shield=True, deadline=math.inf)",
        "anyio.move_on_after(None, shield=True)",
        "scope.shield = True",
    ],
)
def test_shield_check_finds_an_unbounded_shield(code: str) -> None:
    """A shield without a deadline is found, however it is written."""
    assert [2] == list(unbounded(f"pass\n{code}"))


@pytest.mark.parametrize(
    "code",
    [
        "anyio.CancelScope(shield=True, deadline=end)",
        "anyio.move_on_after(5, shield=True)",
        "anyio.fail_after(delay=bound, shield=True)",
        "anyio.CancelScope(deadline=end)",
        "scope.shield = False",
        "anyio.CancelScope(shield=True)  # deadline: stop sets it",
    ],
)
def test_shield_check_accepts_a_bounded_shield(code: str) -> None:
    """A deadline where the shield is made, or the name of who sets it, is enough."""
    assert [] == list(unbounded(code))


SKIPPED_TESTS = {
    "by a mark": "@pytest.mark.skip\ndef test_it(): pass",
    "by a call": "def test_it(): pytest.skip('no server')",
    "by a fixture": (
        "@pytest.fixture\ndef server(): pytest.skip('no server')\n"
        "def test_it(server): pass"
    ),
    "as a file": "pytest.importorskip('no_such_module')",
}


@pytest.mark.parametrize("text", SKIPPED_TESTS.values(), ids=SKIPPED_TESTS)
@pytest.mark.parametrize(("ci", "exit_codes"), [("true", {1, 2}), ("", {0, 5})])
def test_skip_fails_under_ci_only(
    text: str, ci: str, exit_codes: set[int], tmp_path: Path
) -> None:
    """No test is skipped in silence where nobody looks at the summary."""
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    (tmp_path / "test_skipped.py").write_text(f"import pytest\n{text}\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "."]
    done = subprocess.run(
        command, cwd=tmp_path, env={"CI": ci}, capture_output=True, check=False
    )
    assert done.returncode in exit_codes, done.stdout.decode()
