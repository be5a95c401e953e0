"""The gates: everything that a change must pass, each by one command.

Decides which tool looks at what. The sessions use the environment that nox itself is
installed in, so they start at once; only ``wheel`` and ``lowest`` make their own.
"""

import os
import shutil
import sys
from itertools import chain
from pathlib import Path

import nox

BIN = Path(sys.executable).parent
# the tools stand beside the interpreter, whether or not its environment is activated
os.environ["PATH"] = os.pathsep.join([str(BIN), os.environ["PATH"]])

nox.options.default_venv_backend = "none"
nox.options.error_on_external_run = False
nox.options.sessions = [
    "lint",
    "types",
    "contracts",
    "wheel",
    "properties",
    "slow",
    "processes",
    "scenarios",
    "servers",
    "tests",
]

EVERYDAY = "not processes and not servers and not slow"
TWO_AT_ONCE = ("-p", "xdist", "-n", "2", "--dist")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the everyday tests: under three minutes, no server, no killed process."""
    session.run("pytest", "tests", "-m", EVERYDAY, *session.posargs)


@nox.session
def properties(session: nox.Session) -> None:
    """Search for counterexamples; with ``--long`` for an hour, on all cores."""
    if "--long" not in session.posargs:
        two = (*TWO_AT_ONCE, "worksteal")
        session.run("pytest", "property_tests", *two, *session.posargs)
        return
    session.run("python", "tools/build_redis.py")
    options = [option for option in session.posargs if option != "--long"]
    session.run("python", "-m", "property_tests", *options)


@nox.session
def mutants(session: nox.Session) -> None:
    """Break one mechanism after the other, and see that the properties notice."""
    session.run("python", "-m", "property_tests.mutants", *session.posargs)


@nox.session
def slow(session: nox.Session) -> None:
    """Run what must go on for long to tell anything, such as flat memory."""
    session.run("pytest", "tests", "-m", "slow", *session.posargs)


@nox.session
def processes(session: nox.Session) -> None:
    """Kill, freeze, stop and restart real processes on one SQLite file."""
    marked = "processes and not servers and not slow"
    # most of it waits for leases to run out
    two = (*TWO_AT_ONCE, "loadfile")
    session.run("pytest", "tests", "-m", marked, *two, *session.posargs)


@nox.session
def servers(session: nox.Session) -> None:
    """Run what needs real servers: the backends, through all faults of their stores."""
    session.run("python", "tools/build_redis.py")
    marked = "servers and not slow"
    # most of it waits for an outage to pass or a server to start; so two do so at once
    two = (*TWO_AT_ONCE, "loadfile")
    session.run("pytest", "tests", "-m", marked, *two, *session.posargs)


@nox.session
def scenarios(session: nox.Session) -> None:
    """Play the failure scenarios with real processes, on real servers, side by side."""
    session.run("python", "tools/build_redis.py")
    session.run("python", "-m", "tests.scenarios", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check form, spelling, and what goes wrong in asynchronous code."""
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("codespell")
    # ASYNC114 wants a list of names; with another list than its own of disabled codes
    # the checker also looks at checkpoints (ASYNC9xx)
    check = ["flake8-async", "--anyio", "--disable=ASYNC114"]
    session.run("find", "anarchon", "-name", "*.py", "-exec", *check, "{}", "+")
    session.run("python", "tools/check_shields.py", "anarchon")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types twice, and that users of the package see all of them."""
    session.run("mypy")
    session.run("pyright", "--pythonpath", sys.executable)
    session.run("pyright", "--verifytypes", "anarchon", "--ignoreexternal")


@nox.session
def contracts(session: nox.Session) -> None:
    """Check that imports run downwards only."""
    session.run("lint-imports", "--no-cache")


@nox.session
def docs(session: nox.Session) -> None:
    """Run the examples of the README and the docs, and follow their links."""
    pages = "test_docs or test_examples or test_readme or page"
    session.run("pytest", "tests", "-k", pages, *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel, look into it, install it elsewhere and run a job with it."""
    folder = Path(session.create_tmp())
    shutil.rmtree(folder)
    session.run("python", "-m", "build", "--no-isolation", "--outdir", str(folder))
    [built] = folder.glob("*.whl")
    session.run("python", "tools/check_wheel.py", str(built), "anarchon")
    python = _new_environment(session, folder / "venv")
    session.run(python, "-m", "pip", "install", "-q", "-c", "constraints.txt", built)
    session.run(python, "-I", "tools/smoke.py")


@nox.session
def lowest(session: nox.Session) -> None:
    """Run the everyday tests on the oldest dependencies that are promised."""
    folder = Path(session.create_tmp())
    shutil.rmtree(folder)
    python = _new_environment(session, folder / "venv")
    pip = [python, "-m", "pip", "install", "-q"]
    session.run(*pip, "-U", "pip")
    session.run(*pip, "-e", ".", "--group", "test", "--group", "bench", *_oldest())
    session.run(python, "-m", "pytest", "tests", "-m", EVERYDAY)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure, each number beside its floor, and make the page of the results."""
    session.run("python", "tools/build_redis.py")
    session.run("python", "-m", "benchmarks.peers.environment")
    session.run("python", "-m", "benchmarks", *session.posargs)


def _new_environment(session: nox.Session, folder: Path) -> str:
    session.run("python", "-m", "venv", str(folder))
    return str(folder / "bin" / "python")


def _oldest() -> list[str]:
    """Turn each lower bound of ``pyproject.toml`` into a pin."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    extras = project["optional-dependencies"].values()
    bounds = chain(project["dependencies"], *extras)
    return [bound.replace(">=", "==") for bound in bounds if ">=" in bound]
