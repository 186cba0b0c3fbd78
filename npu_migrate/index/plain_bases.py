"""The base classes outside of a project that add nothing to the classes that are derived from them."""

from __future__ import annotations

_PLAIN_BASES = frozenset({"object", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})


def is_plain_base(name: str) -> bool:
    """Whether the class of this canonical name leaves all attributes to the classes derived from it."""
    return name in _PLAIN_BASES
