"""The command line: its options, and what it says when something is missing."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from anarchon.cli import main


def absent(*modules: str) -> Callable[[str], object]:
    """Return a search for modules that finds all but these."""
    return lambda name: None if name in modules else object()


def test_version_is_told() -> None:
    """The version is that of the installed package."""
    command = [sys.executable, "-m", "anarchon.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "anarchon 0.1.0\n" == done.stdout


def test_help_names_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for help, the command line says what there is, and ends well."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert 0 == ended.value.code
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [([], "COMMAND"), (["dance"], "demo"), (["demo", "--loop", "curio"], "asyncio")],
)
def test_mistake_is_answered_with_what_is_allowed(
    arguments: list[str], allowed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command line that makes no sense ends with 2 and says what would."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert 2 == ended.value.code
    assert allowed in capsys.readouterr().err


@pytest.mark.parametrize(
    ("missing", "install"),
    [
        (["rich"], "needs rich; install it with: pip install 'anarchon[cli]'"),
        (["aiosqlite"], "needs aiosqlite; install it with: pip install"),
        (
            ["rich", "aiosqlite", "trio"],
            "install them with: pip install 'anarchon[cli,sqlite,trio]'",
        ),
    ],
)
def test_missing_extras_are_named(
    missing: list[str],
    install: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Without what it needs, the demo says what to install, and ends with 2."""
    monkeypatch.setattr("anarchon.cli.find_spec", absent(*missing))
    with pytest.raises(SystemExit) as ended:
        main(["demo", "--loop", "trio"])
    assert 2 == ended.value.code
    assert install in capsys.readouterr().err


def test_trio_is_not_needed_on_asyncio(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Trio isn't installed, the demo runs on asyncio without being told."""
    loops: list[str] = []
    monkeypatch.setattr("anarchon.cli.find_spec", absent("trio"))
    monkeypatch.setattr("anarchon.cli.demo.run", lambda loop, **_: loops.append(loop))
    main(["demo"])
    assert ["asyncio"] == loops
