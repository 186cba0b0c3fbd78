"""Sessions whose name gets another one before anything reads it: ``with tf.Session() as sess: sess = …``.

Scripts that were ported by hand open a configured session inside the block of the old one.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Name, Statement
from npu_migrate.index.names import lookup
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import reaching, runs_at_once
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.statements import names_of_scope
from npu_migrate.training.reading.session_fetches import all_fetchings

_BLOCKS = frozenset({"With", "AsyncWith"})
_OF_DEFAULT_SESSIONS = ("run", "eval")
_DEFAULT_SESSION = "get_default_session"


def is_unread(project: Project, call: Ref) -> bool:
    """Whether nothing runs the session that `call` opens: no read of its name, and no default session."""
    facts = project.facts(call.key)
    assert facts is not None
    name = _name_bound(facts.statements[call.statement], call)
    found = None if name is None else lookup(facts, call.scope, name)
    if name is None or found is None or len(found.bindings) < 2:
        return False
    if _is_imported(project, call.key, found.scope, name):
        return False
    for site in names_of_scope(project, call.key, name, found.scope):
        if site.stored:
            continue
        held = (
            reaching(facts, project.blocks(call.key), found, name, site.statement)
            if runs_at_once(facts, site.scope, found.scope)
            else None
        )
        if held is None or any(binding.value is call.expr for binding in held):
            return False
    return not _may_be_default(project, call)


def _name_bound(statement: Statement, call: Ref) -> str | None:
    """The only name that a statement gives to what `call` makes."""
    if statement.kind == "Assign":
        bound = [target for target in statement.targets if statement.values[0] is call.expr]
    elif statement.kind in _BLOCKS:
        pairs = zip(statement.targets, statement.values, strict=True)
        bound = [target for target, value in pairs if value is call.expr]
    else:
        return None
    names = [target.id for target in bound if isinstance(target, Name)]
    return names[0] if len(bound) == len(names) == 1 else None


def _is_imported(project: Project, key: str, scope: int, name: str) -> bool:
    """Whether another module may read a variable of this one."""
    importers = (project.facts(one) for one in project.importers(key)) if scope == 0 else ()
    return any(facts is not None and name in facts.words for facts in importers)


def _may_be_default(project: Project, call: Ref) -> bool:
    """Whether a session may be what ``op.run()`` and the like take without naming it."""
    near = project.neighbours(call.key)
    facts = [project.facts(key) for key in sorted(near)]
    if any(one is not None and _DEFAULT_SESSION in one.words for one in facts):
        return True
    fetchings = all_fetchings(project)
    if any(one.session.ref.expr is call.expr for one in fetchings):
        return True
    known = {id(one.call.expr) for one in fetchings}
    return any(
        id(run.expr) not in known and not externals_called(project, run)
        for run in _runs(project)
        if run.key in near
    )


def _runs(project: Project) -> Iterator[Ref]:
    for name in _OF_DEFAULT_SESSIONS:
        for key, site in project.calls_named(name):
            if isinstance(site.call.func, Attribute):
                yield ref_of_call(key, site)
