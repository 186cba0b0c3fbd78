"""What a project has to be told of the libraries that its programs import, as nobody reads their code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


def _as_it_is(name: str) -> str:
    return name


def _nothing_known(module: str, name: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Libraries:
    """Facts about names that come from outside of the project. All names are dotted.

    `canonical` gives each name one spelling, wherever it is imported from; the other names here are spelled
    so. `may_export` tells whether ``from module import *`` may bind a name. `calls_at_once` are functions
    that call the functions which they get before they return. `conversions` are pure functions of one
    constant; they may raise what Python raises.
    """

    canonical: Callable[[str], str] = _as_it_is
    may_export: Callable[[str, str], bool] = _nothing_known
    calls_at_once: frozenset[str] = frozenset()
    conversions: Mapping[str, Callable[[Any], Any]] = field(default_factory=lambda: MappingProxyType({}))
