"""What a mutant is: one fault, put into a copy of the package.

Decides how its text is exchanged. Must not know which mutants there are, nor what is to
notice them.
"""

from dataclasses import dataclass
from pathlib import Path

from property_tests.mutants.suites import Suite


class NoLongerApplies(Exception):
    """The text that a mutant replaces is gone, or no longer the only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """In ``file``, ``put`` stands where ``find`` stood, which is there just once.

    ``name`` says in plain words what the broken code does, ``breaks`` which law, trap
    or promise it does that to. ``only`` is the suite that can notice, where it is
    not the one that the file goes by.
    """

    name: str
    breaks: str
    file: str
    find: str
    put: str
    only: Suite | None = None

    def applied(self, text: str) -> str:
        """Return the file's text with the fault in it."""
        count = text.count(self.find)
        if count != 1:
            raise NoLongerApplies(
                f"{self.name!r}: {self.find!r} is {count} times in {self.file}, not 1"
            )
        return text.replace(self.find, self.put)

    def apply(self, root: Path) -> None:
        """Put the fault into the copy of the project below ``root``."""
        file = root / self.file
        file.write_text(self.applied(file.read_text("utf-8")), "utf-8")
