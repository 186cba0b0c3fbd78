"""Findings in groups: by rule, by folder, or by the program in which they hold."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from npu_migrate.findings import Diagnostic
from npu_migrate.languages.saying import Say

_MOST_PROGRAMS = 3

Group = tuple[str, tuple[Diagnostic, ...]]
"""The name of a group and what belongs to it."""


def groups_of(found: Iterable[Diagnostic], by: str) -> tuple[Group, ...]:
    """The groups in order of their names, each finding in one of them. `by` is one of `GROUPINGS`."""
    name_of = GROUPINGS[by]
    groups: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for one in found:
        groups[name_of(one)].append(one)
    return tuple((name, tuple(groups[name])) for name in sorted(groups))


def said(name: str, by: str, say: Say) -> str:
    """The name of a group as people are told it: only those of programs have words."""
    return say(name) if by == "program" else name


def _rule(one: Diagnostic) -> str:
    return f"{one.code} {one.name}"


def _folder(one: Diagnostic) -> str:
    return posixpath.dirname(one.path) or "."


def _programs(one: Diagnostic) -> str:
    """The program, or all of them where a finding holds in several: it is told once, not in each."""
    shown = ", ".join(one.programs[:_MOST_PROGRAMS])
    more = len(one.programs) - _MOST_PROGRAMS
    return f"{shown} and {more} more" if more > 0 else shown or "(no program)"


GROUPINGS: Mapping[str, Callable[[Diagnostic], str]] = MappingProxyType(
    {"rule": _rule, "folder": _folder, "program": _programs}
)
"""What names the group of a finding, by the word that ``--group-by`` takes."""
