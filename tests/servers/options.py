"""How one server may differ from what is usual for its kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a test asks for: a password, encryption, further settings.

    Settings are those of the server's own configuration. Without a password the server
    has the usual one of its kind, or none.
    """

    password: str | None = None
    tls: bool = False
    settings: Mapping[str, str] = field(default_factory=dict[str, str])


USUAL = Options()
