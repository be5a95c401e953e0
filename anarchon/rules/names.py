"""Which names jobs, instances and namespaces may have.

Decides what is legal. Must not know how a store escapes a job's name.
"""

import re

from anarchon.errors import InvalidOption

LONGEST = 200

_SHOWN = 40
_NAMESPACE = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


def check_job_name(name: object) -> str:
    """Return a legal job name as it is; it is never normalised.

    Raises:
        InvalidOption: not 1 to 200 characters of Unicode, or with NUL or a lone
            surrogate among them.
    """
    return _checked("a job's name", name)


def check_instance_id(name: object) -> str:
    """Return a legal name of an instance as it is.

    Raises:
        InvalidOption: a job couldn't be called so either.
    """
    return _checked("instance_id", name)


def check_namespace(name: object) -> str:
    """Return a legal namespace as it is: characters that every store can hold.

    Raises:
        InvalidOption: not 1 to 64 letters (A to Z), digits, ``_`` and ``-``.
    """
    if not isinstance(name, str) or not _NAMESPACE.fullmatch(name):
        raise InvalidOption(
            "a namespace must be 1 to 64 of the characters A-Z, a-z, 0-9, '_' and '-', "
            f"not {name!r}"
        )
    return name


def _checked(title: str, name: object) -> str:
    if not isinstance(name, str):
        raise InvalidOption(f"{title} must be a str, not {name!r}")
    if not 1 <= len(name) <= LONGEST:
        raise InvalidOption(
            f"{title} must have 1 to {LONGEST} characters, "
            f"not {len(name)}: {_shortened(name)}"
        )
    if "\0" in name or any("\ud800" <= char <= "\udfff" for char in name):
        raise InvalidOption(
            f"{title} must have neither NUL nor lone surrogates, not {name!a}"
        )
    return name


def _shortened(name: str) -> str:
    return ascii(name if len(name) <= _SHOWN else name[:_SHOWN] + "...")
