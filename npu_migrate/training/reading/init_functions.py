"""What an ``init_fn`` runs: the function of a Scaffold or Supervisor that a managed session calls first."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Expr, argument
from npu_migrate.index.names import code_scope
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_values import functions_of
from npu_migrate.semantics.contexts import Traced, traced
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.reading.other_readers import LONGEST_WALK, is_made_in, iterators_behind
from npu_migrate.training.reading.read_data import sources_of_values

_INIT_FN = "init_fn"
_INITIALIZED_BY_FUNCTIONS = ("Scaffold", "Supervisor", "prepare_session", "train")


@once
def read_by_init_function(project: Project, key: str, statement: int) -> Ref | None:
    """Where an ``init_fn`` runs what an iterator made by a statement gives, if one does.

    A managed session calls it before it runs what is registered.
    """
    near = project.neighbours(key)
    return next(
        (
            run
            for run, fetched in _run_by_init_functions(project)
            if run.key in near
            for one in iterators_behind(sources_of_values(project, (fetched,), longest=LONGEST_WALK))
            if is_made_in(project, one, key, statement)
        ),
        None,
    )


@once
def _run_by_init_functions(project: Project) -> tuple[tuple[Ref, Traced], ...]:
    """What functions run that somebody gets as ``init_fn``, with the calls that run it."""
    return tuple(
        (run, traced(run._replace(expr=fetched)))
        for name in _INITIALIZED_BY_FUNCTIONS
        for key, site in project.calls_named(name)
        for given in site.call.keywords
        if given.name == _INIT_FN
        for function in functions_of(project, traced(Ref(key, site.scope, site.statement, given.value)))
        for run, fetched in _runs_in(project, function.target)
    )


def _runs_in(project: Project, function: Definition) -> Iterator[tuple[Ref, Expr]]:
    """The runs in a function, and what each fetches."""
    facts = project.facts(function.key)
    assert facts is not None
    for site in facts.calls:
        func = site.call.func
        if code_scope(facts, site.scope) != function.scope or not isinstance(func, Attribute):
            continue
        fetched = argument(site.call, "fetches", 0) if func.attr == "run" else None
        if fetched is not None or func.attr == "eval":
            ref = ref_of_call(function.key, site)
            yield ref, fetched if fetched is not None else func.value
