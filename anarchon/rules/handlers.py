"""What may be a job's handler, and how it wants to be called.

Decides by the signature alone, once. Must not know who calls it.
"""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter

from anarchon.errors import InvalidOption

_ALLOWED = "a handler is a function, def or async def, of the context or of nothing"

# its parameters are what this file looks at
_Handler = Callable[..., object]  # type: ignore[explicit-any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """Whether a handler takes the context, and whether its call is awaited."""

    takes_context: bool
    is_async: bool


def read_handler(handler: object) -> Calling:
    """Return how a handler is to be called.

    A parameter with a default is left alone, so that a loop may bind its variable by
    one; ``*args`` gets the context.

    Raises:
        InvalidOption: it can't be called with the context or with nothing.
    """
    if not callable(handler):
        raise InvalidOption(f"{_ALLOWED}, not {handler!r}")
    body = _body(handler)
    if isinstance(body, type):
        raise InvalidOption(f"{_ALLOWED}, not the class {body.__qualname__}")
    if inspect.isgeneratorfunction(body) or inspect.isasyncgenfunction(body):
        raise InvalidOption(f"{_ALLOWED}, not the generator {handler!r}")
    return Calling(
        takes_context=_takes_context(handler),
        is_async=inspect.iscoroutinefunction(body),
    )


def _body(handler: object) -> object:
    """Return the function that holds the code, or the class that is called."""
    while isinstance(handler, functools.partial):
        handler = handler.func
    if inspect.isroutine(handler) or isinstance(handler, type):
        return handler
    return type(handler).__call__


def _takes_context(handler: _Handler) -> bool:
    parameters = _parameters(handler)
    required = [p for p in parameters if _is_required(p)]
    if len(required) > 1 or any(p.kind is Parameter.KEYWORD_ONLY for p in required):
        names = ", ".join(p.name for p in required)
        raise InvalidOption(f"{_ALLOWED}; {handler!r} requires {names}")
    return bool(required) or any(p.kind is Parameter.VAR_POSITIONAL for p in parameters)


def _parameters(handler: _Handler) -> list[Parameter]:
    try:
        return list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        raise InvalidOption(
            f"{_ALLOWED}; {handler!r} doesn't tell its parameters, so call it from one"
        ) from None


def _is_required(parameter: Parameter) -> bool:
    collects = parameter.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return parameter.default is Parameter.empty and not collects
