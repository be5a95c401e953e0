"""What type checkers must refuse. Checked, never run: each error must be there."""

import anarchon
from anarchon.events import Takeover


async def two_arguments(ctx: anarchon.RunContext, other: int) -> None: ...


async def other_argument(number: int) -> None: ...


def hear_takeover(event: Takeover) -> None: ...


async def main() -> None:
    async with anarchon.open_scheduler("memory://") as s:
        s.every("a", "10s", two_arguments)  # type: ignore[type-var]
        s.every("b", "10s", other_argument)  # type: ignore[type-var]
        s.every("c", "10s", lambda: None, lese=30)  # type: ignore[call-overload]
        s.every("d", [10])  # type: ignore[call-overload]
        s.cron("e", "* * * * *", lambda: None, overlap="no")  # type: ignore[call-overload]
        s.on("success", hear_takeover)  # type: ignore[arg-type]
        s.run_now("a").status  # type: ignore[attr-defined]
    anarchon.open_scheduler(42)  # type: ignore[arg-type]
    anarchon.open_scheduler("memory://", jiter=1)  # type: ignore[call-arg]
    anarchon.opn_scheduler("memory://")  # type: ignore[attr-defined]
