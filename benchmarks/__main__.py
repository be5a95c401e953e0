"""Measure: all questions, or those that are named, and make the page of the results.

Decides the order, and what is kept: a quick run keeps nothing.
"""

import argparse
import time
from datetime import UTC, datetime
from importlib import import_module

from benchmarks.effort import Effort
from benchmarks.machine import machine, versions
from benchmarks.markdown import goal_lines, table_lines
from benchmarks.page import ORDER, write_page
from benchmarks.report import Answer, Report


def main() -> None:
    """Ask, print, and keep what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("questions", nargs="*", metavar="question", help="all if none")
    parser.add_argument("--quick", action="store_true", help="errors only, not speed")
    parser.add_argument("--page", action="store_true", help="make the page alone")
    options = parser.parse_args()
    unknown = set(options.questions) - set(ORDER)
    if unknown:
        parser.error(f"no question {sorted(unknown)}; there are {', '.join(ORDER)}")
    if options.page:
        write_page()
        return
    effort = Effort(rounds=1, quick=True) if options.quick else Effort()
    for name in options.questions or ORDER:
        ask(name, effort)


def ask(name: str, effort: Effort) -> None:
    """Answer one question."""
    question = import_module(f"benchmarks.{name}.question")
    began = time.monotonic()
    answer: Answer = question.answer(effort)
    for table in answer.tables:
        print("\n".join(table_lines(table)), end="\n\n", flush=True)
    if answer.goals:
        print("\n".join(goal_lines(answer.goals)), end="\n\n", flush=True)
    print(f"{name}: {time.monotonic() - began:.0f} s\n", flush=True)
    if not effort.quick:
        report(name, question.TITLE, answer).write()
        write_page()


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
