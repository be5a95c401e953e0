"""How Hypothesis runs here: repeatable where nobody can look, searching elsewhere."""

import os

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("default", deadline=None)
settings.load_profile("ci" if "CI" in os.environ else "default")
