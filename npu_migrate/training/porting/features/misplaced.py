"""Entries that were added at a place where they do not get into the session: slips of porting by hand.

A session takes a copy of its config when it is made [TF].
"""

from __future__ import annotations

from npu_migrate.index.facts import Call, FileFacts, Name
from npu_migrate.index.names import ancestors, code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.objects import identities
from npu_migrate.training.npu.config_reach import config_objects, readers_of
from npu_migrate.training.npu.configs import entries, helper_calls
from npu_migrate.training.porting.configured import is_config_proto

TOO_LATE = "its config gets the entry only after the session was made"
MADE_ANEW = "its config is made anew after the entry was added"

_LOOPS = ("For", "AsyncFor", "While")


def misplaced_entry(project: Project, call: Ref, config: Ref) -> str:
    """Why the entry of a config does not get into the session that is made at `call`; empty if it does.

    Only what runs straight on is judged: entries in the function of the session, and outside of loops.
    """
    meant = config_objects(project, config)
    own = [entry.added for entry in entries(project) if entry.configs & meant]
    helped = any(identities(project, one) & meant for one in helper_calls(project))
    if helped or not all(_runs_straight(project, call, one) for one in own):
        return ""
    if own:
        return TOO_LATE if all(_is_behind(project, call, one) for one in own) else ""
    return MADE_ANEW if _loses_an_entry(project, call, config) else ""


def _loses_an_entry(project: Project, call: Ref, config: Ref) -> bool:
    """Whether the variable of a config held another one before, whose entry gets into no session."""
    held = identities(project, config)
    lost = [entry for entry in entries(project) if entry.configs & held]
    return bool(lost) and all(
        not readers_of(project, entry.configs)
        and _runs_straight(project, call, entry.added)
        and _is_made_anew(project, call, config, entry.added)
        for entry in lost
    )


def _runs_straight(project: Project, call: Ref, added: Ref) -> bool:
    facts = project.facts(call.key)
    assert facts is not None
    if added.key != call.key or code_scope(facts, added.scope) != code_scope(facts, call.scope):
        return False
    around = (*ancestors(facts, call.statement), *ancestors(facts, added.statement))
    return not any(facts.statements[number].kind in _LOOPS for number in around)


def _is_behind(project: Project, call: Ref, added: Ref) -> bool:
    """Whether an entry is added behind the session, in its block or further in, and not in another branch."""
    facts = project.facts(call.key)
    assert facts is not None
    made = facts.statements[call.statement]
    return call.expr.span[2:] <= added.expr.span[:2] and (made.parent, made.block) in _blocks(
        facts, added.statement
    )


def _blocks(facts: FileFacts, number: int) -> set[tuple[int, str]]:
    """The blocks that a statement is in, each by the statement that it belongs to."""
    around = (number, *ancestors(facts, number))
    return {(facts.statements[one].parent, facts.statements[one].block) for one in around}


def _is_made_anew(project: Project, call: Ref, config: Ref, added: Ref) -> bool:
    """Whether a statement between an entry and the session surely gives the name another config."""
    facts = project.facts(call.key)
    assert facts is not None
    if not isinstance(config.expr, Name):
        return False
    blocks = _blocks(facts, call.statement)
    return any(
        added.expr.span[2:] <= statement.span[:2]
        and statement.span[2:] <= call.expr.span[:2]
        and (statement.parent, statement.block) in blocks
        and any(isinstance(target, Name) and target.id == config.expr.id for target in statement.targets)
        and _is_bare(project, Ref(call.key, statement.scope, statement.id, statement.values[0]))
        for statement in facts.statements
        if statement.kind == "Assign" and statement.scope == call.scope
    )


def _is_bare(project: Project, made: Ref) -> bool:
    """Whether a call makes a config without giving it options of the graph, where the entry may be."""
    call = made.expr
    if not isinstance(call, Call) or not is_config_proto(project, made) or call.args:
        return False
    return all(keyword.name not in (None, "graph_options") for keyword in call.keywords)
