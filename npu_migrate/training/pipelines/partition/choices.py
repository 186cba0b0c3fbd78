"""Which parts of an op exclude each other: they stand in different branches, or are values of one name."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Constant, FileFacts, Statement
from npu_migrate.index.names import ancestors
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref

Choices = frozenset[tuple[int, int | str]]
"""What was chosen: the identity of what gives the choice, and the number or block of what was taken."""

NO_CHOICES: Choices = frozenset()

LOOPS = ("For", "AsyncFor", "While")

_ARMS = ("body", "orelse")


def exclude_each_other(one: Choices, other: Choices) -> bool:
    """Whether two parts never are parts of the same op: a choice between them was made in two ways."""
    taken = dict(one)
    return any(taken.get(point, way) != way for point, way in other)


def branches(project: Project, ref: Ref, made: Ref) -> Choices:
    """The branches around the code at `ref` in its function, if no loop may take all of them.

    A branch that has the code at `made` in it as well is no choice: what is made there is in it by itself.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    if is_repeated(project, ref, made):
        return NO_CHOICES
    inner, found = facts.statements[ref.statement], []
    for outer in _around(facts, ref, made):
        if outer.kind == "If" and inner.block in _ARMS:
            found.append((id(outer), inner.block))
        inner = outer
    return frozenset(found)


def is_repeated(project: Project, ref: Ref, made: Ref) -> bool:
    """Whether a loop around the code at `ref` is not around that at `made`."""
    facts = project.facts(ref.key)
    assert facts is not None
    return any(outer.kind in LOOPS for outer in _around(facts, ref, made))


def _around(facts: FileFacts, ref: Ref, made: Ref) -> Iterator[Statement]:
    """The statements of its function around `ref`, innermost first, up to those around `made` too."""
    common = set(ancestors(facts, made.statement)) if made.key == ref.key else set()
    for number in ancestors(facts, ref.statement):
        if facts.statements[number].scope != facts.statements[ref.statement].scope or number in common:
            return
        yield facts.statements[number]


def is_ruled_out(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` stands behind ``if False:``, or in the other branch of ``if True:``."""
    facts = project.facts(ref.key)
    assert facts is not None
    inner = facts.statements[ref.statement]
    for number in ancestors(facts, ref.statement):
        outer = facts.statements[number]
        test = outer.values[0] if outer.kind == "If" else None
        taken = inner.block == "body"
        if isinstance(test, Constant) and inner.block in _ARMS and bool(test.value) != taken:
            return True
        inner = outer
    return False
