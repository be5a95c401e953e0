"""The SQL of the store, from the files beside this one, and how a step is called.

Decides how values are written into a statement. Must not know what the steps do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

Value = str | int | float | None
Argument = Value | Sequence[str]

_FILES = ("tables.sql", "claim.sql", "steps.sql")

_PLACE = re.compile(r"\$(\d+)")
_NOT_PLAIN = re.compile(r"[^ !#-&(-\[\]-~]")


@dataclass(frozen=True, slots=True)
class Query:
    """A statement that answers with one JSON value, and the values of its places.

    The places are ``$1``, ``$2`` and so on, and stand nowhere else.
    """

    text: str
    values: tuple[Argument, ...] = ()

    def written(self) -> str:
        """Return the statement with its values in it."""
        return _PLACE.sub(
            lambda place: _written(self.values[int(place[1]) - 1]), self.text
        )


class Schema:
    """The schema of one namespace; ``name`` is quoted as statements need it.

    Answers are asked for as text: a user's pool may decode JSON by itself.
    """

    __slots__ = ("_calls", "name", "namespace")

    def __init__(self, namespace: str) -> None:
        self.namespace: str = namespace
        self.name: str = f'"{namespace}"'
        self._calls: dict[str, str] = {}

    def script(self, version: int) -> str:
        """Return the statements that make all that is in the schema, and number it."""
        folder = files(__package__ or "")
        text = "".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
        return text.replace("{schema}", self.name).replace("{version}", str(version))

    def call(self, step: str, *values: Argument) -> Query:
        """Return the query that calls a step with as many arguments as values."""
        if (text := self._calls.get(step)) is None:
            text = f"SELECT {self.name}.{step}({_places(1, len(values))})::text"
            self._calls[step] = text
        return Query(text, values)

    def call_with_row(
        self, step: str, kind: str, row: tuple[Value, ...], last: Value
    ) -> Query:
        """Return the query that calls a step with a row of a type, and a value."""
        if (text := self._calls.get(step)) is None:
            fields, after = _places(1, len(row)), len(row) + 1
            argument = f"ROW({fields})::{self.name}.{kind}"
            text = f"SELECT {self.name}.{step}({argument}, ${after})::text"
            self._calls[step] = text
        return Query(text, (*row, last))


def _places(first: int, last: int) -> str:
    return ", ".join(f"${number}" for number in range(first, last + 1))


def _written(value: Argument) -> str:
    if value is None or isinstance(value, str | int | float):
        return literal(value)
    return f"ARRAY[{', '.join(map(literal, value))}]::text[]"


def literal(value: Value) -> str:
    """Return a value as a statement has it, in ASCII.

    So it means the same whatever the client's encoding is, and however the server is
    set to read backslashes.
    """
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return f"'{value!r}'"
    return f"E'{_NOT_PLAIN.sub(_escaped, value)}'"


def _escaped(match: re.Match[str]) -> str:
    return f"\\U{ord(match[0]):08x}"
