"""The SQL of the store, from the files beside this one, and how a step is called.

Decides how values are written into a statement. Must not know what the steps do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

Value = str | int | float | None
Row = tuple[Value, ...]
Argument = Value | Sequence[Value]

_FILES = ("tables.sql", "claim.sql", "steps.sql")

# Steps hold their locks for milliseconds, but somebody else may hold one for long. What
# waits for it would hold up its companions, and whoever else wants their jobs, even if
# nobody waits for the answer any more: so it soon fails instead, once beside others and
# once alone. A call is waited for five seconds, or a quarter of its lease.
_WAIT_FOR_LOCK = "set_config('lock_timeout', '500ms', true)"

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


@dataclass(frozen=True, slots=True)
class Step:
    """A step, and the types of the fields of what it is asked.

    It takes these one by one, or as a ``row`` of that type; and one argument more. Only
    one that is taken for many jobs in one go needs the types.
    """

    name: str
    types: tuple[str, ...]
    row: str | None = None


class Schema:
    """The schema of one namespace; ``name`` is quoted as statements need it.

    Answers are asked for as text: a user's pool may decode JSON by itself.
    """

    __slots__ = ("_texts", "name", "namespace")

    def __init__(self, namespace: str) -> None:
        self.namespace: str = namespace
        self.name: str = f'"{namespace}"'
        self._texts: dict[str, str] = {}

    def script(self, version: int) -> str:
        """Return the statements that make all that is in the schema, and number it."""
        folder = files(__package__ or "")
        text = "".join(folder.joinpath(name).read_text("utf-8") for name in _FILES)
        return text.replace("{schema}", self.name).replace("{version}", str(version))

    def call(self, function: str, *values: Argument) -> Query:
        """Return the query that calls a function with as many arguments as values."""
        if (text := self._texts.get(function)) is None:
            text = f"SELECT {self.name}.{function}({_places(len(values))})::text"
            self._texts[function] = text
        return Query(text, values)

    def one(self, step: Step, request: Row, last: Value) -> Query:
        """Return the query that takes a step; ``last`` is its last argument."""
        if (text := self._texts.get(step.name)) is None:
            places = [f"${number}" for number in range(1, len(request) + 1)]
            taken = self._taken(step, places)
            text = f"SELECT {taken}::text FROM {_WAIT_FOR_LOCK}"  # noqa: S608
            self._texts[step.name] = text
        return Query(text, (*request, last))

    def each(self, step: Step, requests: Sequence[Row], last: Value) -> Query:
        """Return the query that takes a step for each request, in their order.

        Its answer is the list of their answers.
        """
        if (text := self._texts.get(f"each {step.name}")) is None:
            names = [f"field{number}" for number in range(1, len(step.types) + 1)]
            lists = ", ".join(
                f"${number}::{kind}[]" for number, kind in enumerate(step.types, 1)
            )
            text = (
                f"SELECT json_agg({self._taken(step, names)})::text "  # noqa: S608
                f"FROM {_WAIT_FOR_LOCK}, "
                f"unnest({lists}) AS requests({', '.join(names)})"
            )
            self._texts[f"each {step.name}"] = text
        return Query(text, (*map(list, zip(*requests, strict=True)), last))

    def _taken(self, step: Step, fields: Sequence[str]) -> str:
        """Return a step's call; its last argument comes after all its fields."""
        given = ", ".join(fields)
        if step.row is not None:
            given = f"ROW({given})::{self.name}.{step.row}"
        return f"{self.name}.{step.name}({given}, ${len(fields) + 1})"


def _places(last: int) -> str:
    return ", ".join(f"${number}" for number in range(1, last + 1))


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
