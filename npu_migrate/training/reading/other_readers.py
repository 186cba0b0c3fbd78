"""Sessions that run a pipeline beside those that are near the code that builds it.

`owners_of` ends at the nearest sessions: those of the function that builds the pipeline. What a function gets
as an argument, or an object keeps, another session may run as well, and needs the initializer as well.
"""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Attribute, Call, Name, last_name, walk
from npu_migrate.index.names import ancestors, enclosing_function, spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import call_targets, is_partial
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.resolution import Definition, receiver_class, scope_of
from npu_migrate.training.pipelines.imported_graphs import may_run_imported
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.owners import Owner, Owners, owners_of
from npu_migrate.training.pipelines.reachability import calls_seen, function_of, ways_to_function
from npu_migrate.training.pipelines.sessions import Session, all_sessions
from npu_migrate.training.reading.read_data import Sources, sources_of_fetches
from npu_migrate.training.reading.session_fetches import fetchings_of

LONGEST_WALK = 400
"""How far it is looked for an iterator behind what is run."""

_MAKERS = frozenset({tf.ONE_SHOT_METHOD, tf.INITIALIZABLE_METHOD})


@once
def owners_with_readers(project: Project, key: str, scope: int, statement: int) -> Owners:
    """The owners of what `statement` builds in a scope, and the other sessions that are seen to run it.

    They are not complete where such a session goes by several names, or runs what nobody sees it get. What an
    imported graph runs, its own script knows.
    """
    owners = owners_of(project, key, scope, statement)
    if not owners.found or any(one.session is None for one in owners.found):
        return owners
    if may_run_imported(project, key):
        return owners
    known = frozenset(id(one.session.created.expr) for one in owners.found if one.session is not None)
    seen: dict[int, list[Session]] = {}
    for session in _readers(project, key, statement, known):
        seen.setdefault(id(session.created.expr), []).append(session)
    more = [
        Owner("session", one.key, one.scope, NOTHING, one) for found in seen.values() for one in found[:1]
    ]
    certain = owners.complete and all(len(found) == 1 for found in seen.values())
    complete = certain and not _may_be_given(project, key)
    return owners._replace(found=(*owners.found, *more), complete=complete)


@once
def _readers(project: Project, key: str, statement: int, known: frozenset[int]) -> tuple[Session, ...]:
    """The sessions, as each scope sees them, that run what an iterator made by a statement gives.

    Those of which the calls are `known`, by their ``id``, are left out.
    """
    near = project.neighbours(key)
    facts = project.facts(key)
    assert facts is not None
    builder = Definition(key, enclosing_function(facts, facts.statements[statement].scope))
    return tuple(
        session
        for session in all_sessions(project)
        if session.created.key in near
        and session.kind != "evaluate"
        and id(session.created.expr) not in known
        and _runs_by_this_name(project, session)
        and _may_meet(project, builder, function_of(project, session.created))
        and any(is_made_in(project, one, key, statement) for one in _iterators(project, session.created))
    )


def _may_meet(project: Project, builder: Definition, opener: Definition) -> bool:
    """Whether what one function builds may get to another one by calls in sight, or as an object's field.

    To follow what a session runs costs most, and a package of tests has hundreds of sessions.
    """
    return builder.scope == 0 or not _code_before(project, builder).isdisjoint(_code_before(project, opener))


@once
def _code_before(project: Project, function: Definition) -> frozenset[Definition]:
    """A function and all that leads to it or makes objects of its class; scope 0 is module-level code."""
    facts = project.facts(function.key)
    assert facts is not None
    functions = {function}
    classes: tuple[Definition, ...] = ()
    owner = Definition(function.key, facts.scopes[function.scope].parent)
    if function.scope and facts.scopes[owner.scope].kind == "class":
        near = project.neighbours(function.key)
        classes = (owner, *subclasses(project, owner))
        functions |= {
            function_of(project, ref_of_call(key, site))
            for one in classes
            for key, site in project.calls_named(scope_of(project, one).name)
            if key in near
        }
    leading = (way for one in functions for way in ways_to_function(project, one, calls_seen))
    return frozenset((*functions, *classes, *(function_of(project, way) for way in leading)))


def _may_be_given(project: Project, key: str) -> bool:
    """Whether a program of a file has a function that opens a session and runs a parameter, and that another
    library calls, such as a thread: nobody sees what that gives it."""
    near = project.neighbours(key)
    return any(
        session.created.key in near and _runs_what_it_is_given(project, session.created)
        for session in all_sessions(project)
    )


@once_at
def _runs_what_it_is_given(project: Project, created: Ref) -> bool:
    function = function_of(project, created)
    if function.scope == 0 or not any(_is_handed_on(project, one) for one in references(project, function)):
        return False
    facts = project.facts(function.key)
    assert facts is not None
    parameters = {
        one.name
        for one in facts.scopes[function.scope].parameters
        if receiver_class(facts, function.scope, one.name) == NOTHING
    }
    return any(
        isinstance(part, Name) and part.id in parameters
        for fetching in fetchings_of(project, created)
        if function_of(project, fetching.fetches.ref) == function
        for part in walk(fetching.fetches.ref.expr)
    )


def _is_handed_on(project: Project, function: Ref) -> bool:
    """Whether somebody outside the project gets a function, and with it what to call it with."""
    outer = project.parent_ref(function)
    call = None if outer is None else outer.expr
    if outer is None or not isinstance(call, Call) or call.func is function.expr:
        return False
    alone = len(call.args) + len(call.keywords) == 1
    return not (alone or call_targets(project, outer) or is_partial(project, outer))


def _runs_by_this_name(project: Project, session: Session) -> bool:
    """Whether a scope runs a session by the name that it has there, of several perhaps."""
    return session.text is None or any(
        site.scope == session.scope
        and isinstance(site.call.func, Attribute)
        and spelled(site.call.func.value) == session.text
        for site in project.calls_in(session.key, "run")
    )


@once
def _iterators(project: Project, session: Ref) -> tuple[Ref, ...]:
    """The calls that make the iterators whose elements a session runs."""
    return iterators_behind(sources_of_fetches(project, fetchings_of(project, session), longest=LONGEST_WALK))


def iterators_behind(sources: Sources) -> tuple[Ref, ...]:
    """The calls that make an iterator among those that something is made by."""
    return tuple(
        call for call in sources.calls if isinstance(call.expr, Call) and last_name(call.expr.func) in _MAKERS
    )


def is_made_in(project: Project, call: Ref, key: str, statement: int) -> bool:
    """Whether a call stands in a statement of the file `key`, or in one of its blocks."""
    facts = project.facts(key)
    assert facts is not None
    return call.key == key and statement in (call.statement, *ancestors(facts, call.statement))
