"""What may be a handler, and how it is called."""

import functools
from collections.abc import AsyncIterator, Iterator

import pytest

from anarchon.errors import InvalidOption
from anarchon.rules.handlers import Calling, read_handler


async def _asynchronous(ctx: object) -> None: ...
def _synchronous() -> None: ...
def _with_default(limit: int = 10) -> None: ...
def _with_two(ctx: object, limit: int) -> None: ...
async def _with_keyword(*, limit: int) -> None: ...
def _of_anything(*args: object, **kwargs: object) -> None: ...
def _of_keywords(**kwargs: object) -> None: ...
def _generator(ctx: object) -> Iterator[int]:
    yield 1


async def _async_generator(ctx: object) -> AsyncIterator[int]:
    yield 1


@functools.wraps(_asynchronous)
def _wrapper(*args: object) -> object:
    return _asynchronous(*args)


class _Service:
    """Something with handlers among its methods."""

    async def run(self, ctx: object) -> None: ...

    @staticmethod
    def tidy() -> None: ...

    @classmethod
    def report(cls, ctx: object) -> None: ...


class _AsyncObject:
    """An object that is called like an async function."""

    async def __call__(self, ctx: object) -> None: ...


@pytest.mark.parametrize(
    ("handler", "takes_context", "is_async"),
    [
        (_asynchronous, True, True),
        (_synchronous, False, False),
        (lambda: None, False, False),
        (lambda ctx: None, True, False),
        (lambda name="a": None, False, False),
        (_with_default, False, False),
        (_of_anything, True, False),
        (_of_keywords, False, False),
        (_wrapper, True, False),
        (_Service().run, True, True),
        (_Service().tidy, False, False),
        (_Service().report, True, False),
        (_Service.report, True, False),
        (_AsyncObject(), True, True),
        (functools.partial(_asynchronous), True, True),
        (functools.partial(_asynchronous, 1), False, True),
        (functools.partial(_with_two, limit=1), True, False),
        (functools.partial(functools.partial(_with_two, 1), 2), False, False),
        (functools.partial(_AsyncObject()), True, True),
    ],
)
def test_signature_tells_how_to_call(
    handler: object, *, takes_context: bool, is_async: bool
) -> None:
    """The context is passed where one is required; what has a default is left alone."""
    expected = Calling(takes_context=takes_context, is_async=is_async)
    assert expected == read_handler(handler)


@pytest.mark.parametrize(
    ("handler", "problem"),
    [
        (_with_two, "requires ctx, limit"),
        (_with_keyword, "requires limit"),
        (functools.partial(_with_two), "requires ctx, limit"),
        (_generator, "the generator"),
        (_async_generator, "the generator"),
        (functools.partial(_generator), "the generator"),
        (_Service, "the class _Service"),
        (functools.partial(_Service), "the class _Service"),
        (_Service.run, "requires self, ctx"),
        (_asynchronous.__name__, "not '_asynchronous'"),
        (None, "not None"),
        (iter, "doesn't tell its parameters"),
    ],
)
def test_what_cannot_be_called_so_is_refused(handler: object, problem: str) -> None:
    """The mistake is told at the call that made it, with what a handler is."""
    with pytest.raises(InvalidOption, match=problem) as caught:
        read_handler(handler)
    assert "of the context or of nothing" in str(caught.value)
