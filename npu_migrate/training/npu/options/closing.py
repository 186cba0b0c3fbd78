"""Sessions on the NPU that nobody closes."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, Attribute, Call, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.objects import Identity
from npu_migrate.semantics.resolution import Definition, External, all_bases, scope_of
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.npu.config_reach import config_objects, readers_of
from npu_migrate.training.npu.configs import entries, helper_calls

_WITH = frozenset({"With", "AsyncWith"})
_CLOSING = frozenset({"close", "__exit__", "__enter__"})
_PLAIN = frozenset(
    {"restore", "save", "start_queue_runners", "run", "load", "initialize", "eval", "get_session"}
)


def unclosed_sessions(project: Project) -> Iterator[Ref]:
    """The calls that open a raw session with an NPU config which is neither a ``with`` block's nor closed.

    A session that is handed to code which cannot be seen, or kept where it cannot be followed, may be closed
    there: it is none of them.
    """
    configs = frozenset(config for one in _npu_configs(project) for config in one)
    for reader in readers_of(project, configs) if configs else ():
        is_raw = reader.kind == "session" and externals_called(project, reader.ref) & tf.RAW_SESSIONS
        if is_raw and _is_kept_open(project, reader.ref):
            yield reader.ref


def _npu_configs(project: Project) -> Iterator[frozenset[Identity]]:
    yield from (entry.configs for entry in entries(project))
    yield from (config_objects(project, call) for call in helper_calls(project))


def _is_kept_open(project: Project, session: Ref) -> bool:
    statement = project.statement(session)
    if statement.kind != "Assign" or statement.values[0] is not session.expr:
        return False
    fields = [target.attr for target in statement.targets if isinstance(target, Attribute)]
    if fields and (_has_unseen_base(project, session) or _closes_field(project, session, fields)):
        return False
    found = uses(project, session)
    if any(_may_close(project, use) for use in found):
        return False
    return not any(_enters(project, key, session) for key in project.neighbours(session.key))


def _has_unseen_base(project: Project, session: Ref) -> bool:
    """Whether a session is kept on an object of a class that inherits from one which cannot be seen."""
    facts = project.facts(session.key)
    assert facts is not None
    scope = enclosing_class(facts, session.scope)
    if scope == NOTHING:
        return False
    seen = all_bases(project, Definition(session.key, scope))
    named = sum(len(scope_of(project, one).bases) for one in seen if isinstance(one, Definition))
    outside = [one for one in seen if not isinstance(one, Definition) and one != External("object")]
    return bool(outside) or named > len(seen)


def _closes_field(project: Project, session: Ref, fields: list[str]) -> bool:
    """Whether a program closes a field of such a name, of an object that need not be followed."""
    near = project.neighbours(session.key)
    return any(
        isinstance(site.call.func, Attribute) and last_name(site.call.func.value) in fields
        for key, site in project.calls_named("close")
        if key in near
    )


def _may_close(project: Project, use: Use) -> bool:
    if use.kind == "attribute":
        return use.name in _CLOSING
    if use.kind == "argument":
        call = use.ref.expr
        method = call.func.attr if isinstance(call, Call) and isinstance(call.func, Attribute) else ""
        return method not in _PLAIN
    return use.kind in ("returned", "stored", "contained", "unpacked", "iterated", "call")


def _enters(project: Project, key: str, session: Ref) -> bool:
    """Whether a ``with`` block in a file is the session's own."""
    facts = project.facts(key)
    return facts is not None and any(
        origin.expr is session.expr
        for statement in facts.statements
        if statement.kind in _WITH
        for value in statement.values
        for origin in origins(project, Ref(key, statement.scope, statement.id, value))
    )
