"""Creations that bind one name in several branches, or stand in one list, and have to change together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from npu_migrate.index.facts import NOTHING, FileFacts
from npu_migrate.project.project import Project
from npu_migrate.training.pipelines.iterators import Creation, Holder, holder

_LEAVES = frozenset({"Return", "Raise", "Continue", "Break"})
"""Statements that leave a branch, so that what stands behind all branches is not reached."""


def effective_statement(facts: FileFacts, creation: Creation, partners: Sequence[Creation]) -> int:
    """The statement after which the iterator's name is bound, whichever of the branches ran."""
    if not partners:
        return creation.ref.statement
    chains = []
    for item in (creation, *partners):
        chain = [item.ref.statement]
        while facts.statements[chain[-1]].parent != NOTHING:
            chain.append(facts.statements[chain[-1]].parent)
        chains.append(chain)
    return next(number for number in chains[0] if all(number in chain for chain in chains[1:]))


def partners_of(project: Project, creation: Creation, others: Iterable[Creation]) -> tuple[Creation, ...]:
    """The creations that have to change together with this one.

    Those that bind the same name in every other branch of the ``if`` or ``try`` around it, and those in the
    same list. `others` are all whose statement lies in the same compound statement (or function).
    """
    facts = project.facts(creation.ref.key)
    assert facts is not None
    name = holder(project, creation.ref)
    statement = facts.statements[creation.ref.statement]
    if name is not None and name.target is not None and len(statement.values) == 1:
        together = tuple(
            other
            for other in others
            if other is not creation
            and other.ref.statement == statement.id
            and _same_holder(project, other, name)
        )
        if together:
            return together
    if name is None or statement.parent == NOTHING:
        return ()
    outer = facts.statements[statement.parent]
    if outer.kind not in ("If", "Try"):
        return ()
    blocks = {block for parent, block in project.blocks(facts.key) if parent == outer.id} - {"finalbody"}
    if outer.kind == "If" and len(blocks) < 2:
        return ()
    if outer.kind == "Try":
        blocks -= {"orelse"}
    found: dict[str, Creation] = {}
    for other in others:
        place = facts.statements[other.ref.statement]
        same = holder(project, other.ref)
        if place.parent == outer.id and same is not None and same.text == name.text:
            found[place.block] = other
    if set(found) | {statement.block} != blocks or len(blocks) < 2:
        return ()
    if any(one.kind in _LEAVES for block in blocks for one in project.block(facts, outer.id, block)):
        return ()
    return tuple(other for block, other in sorted(found.items()) if block != statement.block)


def _same_holder(project: Project, other: Creation, name: Holder) -> bool:
    same = holder(project, other.ref)
    return same is not None and same.text == name.text
