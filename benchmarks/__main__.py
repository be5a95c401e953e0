"""Measure: all questions, or those that are named, and make the page of the results.

Decides the order, and what is kept: a quick run keeps nothing.
"""

import argparse
import signal
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module

import pytest

from benchmarks.effort import Effort
from benchmarks.machine import machine, versions
from benchmarks.markdown import goal_lines, table_lines
from benchmarks.page import ORDER, write_pages
from benchmarks.report import Answer, Report


def main() -> None:
    """Ask, print, and keep what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("questions", nargs="*", metavar="question", help="all if none")
    parser.add_argument("--quick", action="store_true", help="errors only, not speed")
    parser.add_argument("--page", action="store_true", help="make the pages alone")
    options = parser.parse_args()
    unknown = set(options.questions) - set(ORDER)
    if unknown:
        parser.error(f"no question {sorted(unknown)}; there are {', '.join(ORDER)}")
    if options.page:
        write_pages()
        return
    for asked in (signal.SIGTERM, signal.SIGINT):
        signal.signal(asked, stop)
    effort = Effort(rounds=1, quick=True) if options.quick else Effort()
    sys.exit(ask_each(list(dict.fromkeys(options.questions)) or ORDER, effort))


def stop(number: int, _frame: object) -> None:
    """End, and with this process all that it has started."""
    sys.exit(f"stopped by {signal.Signals(number).name}")


def ask_each(names: Sequence[str], effort: Effort) -> str | None:
    """Answer one question after the other, and return which can't be asked here."""
    missing: list[str] = []
    for number, name in enumerate(names, 1):
        print(f"[{number}/{len(names)}] {name} ...", flush=True)
        try:
            ask(name, effort)
        # a server that isn't there; the other questions may do without it
        except pytest.skip.Exception as why:
            missing.append(f"{name} can't be asked here: {why}")
    return "\n".join(missing) or None


def ask(name: str, effort: Effort) -> None:
    """Answer one question; what is found in a hurry isn't worth telling."""
    question = import_module(f"benchmarks.{name}.question")
    began = time.monotonic()
    answer: Answer = question.answer(effort)
    text, kept = told(answer), ""
    if not effort.quick:
        print(text, flush=True)
        report(name, question.TITLE, answer).write()
        write_pages()
        kept = f", and kept in place of what results/{name}.json had"
    print(f"{name}: answered in {time.monotonic() - began:.0f} s{kept}", flush=True)


def told(answer: Answer) -> str:
    """Return all that was found as text."""
    lines: list[str] = []
    for table in answer.tables:
        lines += [*table_lines(table), ""]
    if answer.goals:
        lines += [*goal_lines(answer.goals), ""]
    return "\n".join(lines)


def report(name: str, title: str, answer: Answer) -> Report:
    """Return an answer with where, when and how it was had."""
    return Report(
        question=name,
        title=title,
        command=f"nox -s bench -- {name}",
        day=datetime.now(UTC).date().isoformat(),
        machine=machine(),
        versions=versions(),
        answer=answer,
    )


if __name__ == "__main__":
    main()
