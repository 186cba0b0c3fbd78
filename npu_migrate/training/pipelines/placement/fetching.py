"""Whether a run in sight fetches what an iterator gives, or may."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.index.facts import Attribute, Call, Expr, FileFacts, Lambda, walk
from npu_migrate.index.names import code_scope, enclosing_function, spelled
from npu_migrate.index.stores import leaves, reads_one_of, stored_texts
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_targets
from npu_migrate.semantics.statements import statements_of_scope
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.owners import owners_of
from npu_migrate.training.pipelines.placement.keras import runs_in_keras
from npu_migrate.training.pipelines.reachability import is_reached

_RUNS = ("run", "eval", "evaluate", "partial_run", "make_callable", "fit", "train", "predict")
_KEEPERS = ("losses", "add_to_collection", "add_to_collections", "add_loss")
"""Calls that keep a tensor in the graph, from where anybody may take it."""


def is_fetched(project: Project, creation: Creation) -> bool:
    """Whether a session, Estimator or Keras model in sight runs what stands on the iterator, or may."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    read = {use.name for use in uses(project, ref) if use.kind == "attribute"}
    if "get_next" not in read:
        return "string_handle" in read and any(
            _is_fed(project, use.ref) for use in uses(project, ref) if use.name == "string_handle"
        )
    scope = code_scope(facts, ref.scope)
    if not _is_entered(project, ref):
        return False
    if not owners_of(project, ref.key, scope, ref.statement).found:
        return runs_in_keras(project, ref.key)
    return scope == 0 or not _stays_unrun(project, facts, scope, ref.statement)


def _is_entered(project: Project, ref: Ref) -> bool:
    """Whether some program may get to the creation; what a framework may call counts as entered."""
    facts = project.facts(ref.key)
    assert facts is not None
    function = facts.scopes[enclosing_function(facts, ref.scope)]
    plain = function.kind == "function" and facts.scopes[function.parent].kind == "module"
    if not plain or function.decorators:
        return True
    return any(is_reached(project, ref, program) for program in project.programs_of(ref.key))


def _is_fed(project: Project, handle: Ref) -> bool:
    """Whether the string handle that is read at ``iterator.string_handle`` is fed, or may be."""
    made = project.parent_ref(handle)
    if made is None or not isinstance(made.expr, Call):
        return True
    for use in uses(project, made):
        if use.kind == "argument" and isinstance(use.ref.expr, Call):
            func = use.ref.expr.func
            if isinstance(func, Attribute) and func.attr in ("run", "eval"):
                if any(one.kind != "tested" for one in uses(project, use.ref)):
                    return True
                continue
        if use.kind != "tested":
            return True
    return False


def _stays_unrun(project: Project, facts: FileFacts, scope: int, statement: int) -> bool:
    """Whether what a function makes of the iterator never leaves it, and the function runs nothing."""
    made = facts.statements[statement]
    names = set(stored_texts(made.targets))
    if made.kind in ("Return", "With"):
        return False
    for later in statements_of_scope(project, facts, scope):
        if later.id < statement:
            continue
        reading = later.id == statement or any(reads_one_of(value, names) for value in later.values)
        if any(_may_run(project, facts, later.id, value) for value in later.values):
            return False
        if not reading:
            continue
        if later.kind not in ("Assign", "AnnAssign", "AugAssign", "Expr", "Assert", "If"):
            return False
        stored = list(stored_texts(later.targets))
        if len(stored) != sum(1 for _ in leaves(later.targets)) or any("." in name for name in stored):
            return False
        names.update(stored)
    return not _is_read_inside(project, facts, scope, names)


def _may_run(project: Project, facts: FileFacts, statement: int, expr: Expr) -> bool:
    for part in walk(expr):
        if isinstance(part, Lambda):
            return True
        if not isinstance(part, Call):
            continue
        func = part.func
        if isinstance(func, Attribute) and (func.attr in _RUNS or func.attr in _KEEPERS):
            return True
        if ".losses." in f".{spelled(func) or ''}":
            return True
        site = project.sites(facts.key, statement).get(id(part))
        if site is None or call_targets(project, Ref(facts.key, site.scope, statement, part)):
            return True
    return False


def _is_read_inside(project: Project, facts: FileFacts, scope: int, names: Iterable[str]) -> bool:
    """Whether a function inside reads one of the names."""
    return any(
        code_scope(facts, site.scope) != scope and _lies_in(facts, site.scope, scope)
        for name in names
        for site in project.names(facts.key, name.partition(".")[0])
    )


def _lies_in(facts: FileFacts, scope: int, outer: int) -> bool:
    while scope > 0 and scope != outer:
        scope = facts.scopes[scope].parent
    return scope == outer
