"""How the name of a job gets into a key, a subject or a stream's name.

Decides an escaping that every store can hold. Two names never share a key.
"""

from hashlib import sha256

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


def escaped(name: str, longest: int) -> str:
    """Return a name in letters, digits, ``_``, ``-`` and ``=``.

    Any other character is written as ``=`` and two hexadecimal digits for each byte.
    What gets longer than ``longest`` characters, which are 66 or more, becomes ``==``
    and a hash, as no escaped name begins.
    """
    if _PLAIN.issuperset(name) and len(name) <= longest:
        return name
    text = "".join(map(_escaped, name))
    if len(text) <= longest:
        return text
    return "==" + sha256(name.encode()).hexdigest()


def _escaped(char: str) -> str:
    if char in _PLAIN:
        return char
    return "".join(f"={byte:02X}" for byte in char.encode())
