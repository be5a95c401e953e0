"""The SQL of the store, from the files beside this one, and how a step is called.

Decides how values are written into a statement. Must not know what the steps do.
"""

import re
from collections.abc import Sequence
from importlib.resources import files

Value = str | int | float | None

_FILES = ("tables.sql", "steps.sql", "claim.sql")

_NOT_PLAIN = re.compile(r"[^ !#-&(-\[\]-~]")


class Row:
    """Values that one argument of a step consists of, a row of the named type."""

    __slots__ = ("kind", "values")

    def __init__(self, kind: str, *values: Value) -> None:
        self.kind = kind
        self.values = values


Argument = Value | Sequence[str] | Row


class Schema:
    """The schema of one namespace; ``name`` is quoted as statements need it."""

    __slots__ = ("name",)

    def __init__(self, namespace: str) -> None:
        self.name = f'"{namespace}"'

    def script(self, version: int) -> str:
        """Return the statements that make all that is in the schema, and number it."""
        folder = files(__package__ or "")
        text = "".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
        return text.replace("{schema}", self.name).replace("{version}", str(version))

    def call(self, step: str, *arguments: Argument) -> str:
        """Return the query that runs a step, which answers with one JSON value."""
        listed = ", ".join(map(self._written, arguments))
        return f"SELECT {self.name}.{step}({listed})"

    def _written(self, argument: Argument) -> str:
        if isinstance(argument, Row):
            values = ", ".join(map(literal, argument.values))
            return f"ROW({values})::{self.name}.{argument.kind}"
        if argument is None or isinstance(argument, str | int | float):
            return literal(argument)
        return f"ARRAY[{', '.join(map(literal, argument))}]::text[]"


def literal(value: Value) -> str:
    """Return a value as a statement has it, in ASCII.

    So it means the same whatever the client's encoding is, and however the server is
    set to read backslashes.
    """
    if value is None:
        return "NULL"
    text = str(value) if isinstance(value, str | int) else repr(value)
    return f"E'{_NOT_PLAIN.sub(_escaped, text)}'"


def _escaped(match: re.Match[str]) -> str:
    return f"\\U{ord(match[0]):08x}"
