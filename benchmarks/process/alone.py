"""Programs that measure themselves, each in a fresh Python of its own.

Decides how they are started and how they answer: by a list of numbers, as JSON. Must
not know what is measured.
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.servers.leash import LEASH

ROOT = Path(__file__).parents[2]
PATIENCE = 900.0

Program = subprocess.Popen[str]


def begin(*command: str) -> Program:
    """Start ``python`` with these words, and go on."""
    program = subprocess.Popen(  # noqa: S603  a command of our own
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    # not even an error lets it outlive the benchmark
    LEASH.hold_process(program.pid)
    return program


def figures(program: Program) -> list[float]:
    """Wait until a program has ended, and return what it found."""
    with program:
        try:
            output, _ = program.communicate(timeout=PATIENCE)
        except BaseException:
            program.kill()
            raise
    if program.returncode:
        raise RuntimeError(f"{program.args!r} ended with {program.returncode}")
    return [float(value) for value in json.loads(output)]
