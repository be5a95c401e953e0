"""How much time a test of random examples is given, by the profile.

Decides nothing about how many are tried: that is for the profiles, and for each test.
"""

import pytest
from hypothesis import settings

# of the profile ``quick``
USUAL = 100


def within(seconds: float) -> pytest.MarkDecorator:
    """Give a test so long in the profile ``quick``, and as much more in others."""
    return pytest.mark.timeout(seconds * max(1, settings().max_examples / USUAL))
