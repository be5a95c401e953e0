"""The command line, as ``python -m anarchon.cli``."""

import sys

from anarchon.cli import main

sys.exit(main())
