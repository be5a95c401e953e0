"""Faults without copies: a copy that wins after its claim was refused is nobody's."""

from dataclasses import replace

from anarchon.testing.faults import Fault, Faults


class NoCopies(Faults):
    """Delays and losses alone."""

    def meet(self, operation: str) -> Fault:
        """Return what happens to a call."""
        return replace(super().meet(operation), copy_after=None)
