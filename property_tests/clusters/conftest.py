"""What all tests of whole clusters need: silence."""

import logging
from collections.abc import Generator

import pytest


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Generator[None]:
    """Let nothing be logged: the story of a play that fails says more."""
    logger = logging.getLogger("anarchon")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(level)
