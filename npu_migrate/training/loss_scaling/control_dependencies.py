"""Where ``tf.control_dependencies`` is in force: in its block, and in all code that is called from there.

Code that stands in a block but is called elsewhere (a ``def``, a lambda) is not under its influence; code of
another file that is called from inside is. [TF]
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    Other,
    Statement,
    argument,
    walk,
)
from npu_migrate.index.names import ancestors, code_scope, lookup
from npu_migrate.knowledge import tensorflow
from npu_migrate.project.once import once_at, once_at_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.calls.returns import is_generator
from npu_migrate.semantics.flow import call_targets, externals_called, instance_classes, origins
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import Definition, definitions, external_names, scope_of
from npu_migrate.semantics.uses import uses
from npu_migrate.training.loss_scaling.control_inputs import Presence, presence_of
from npu_migrate.training.loss_scaling.made_once import is_made_once
from npu_migrate.training.pipelines.order import certainly_before

_MOST_PLACES = 400
_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")
_STACKS = frozenset({"contextlib.ExitStack", "contextlib2.ExitStack"})
_CLOSES = frozenset({"close", "pop_all", "__exit__"})
_ENTER, _EXIT = "__enter__", "__exit__"
_MANAGER_DECORATORS = frozenset({"contextlib.contextmanager", "tensorflow.tf_contextlib.contextmanager"})


class Effect(enum.Enum):
    """What entering a context manager does to the control dependencies."""

    NONE = enum.auto()
    ADDS = enum.auto()
    CLEARS = enum.auto()


class Entering(NamedTuple):
    """What entering a context manager does.

    `alone`: that is all it does. `certain` is False where the dependencies that it adds may also be none.
    """

    effect: Effect
    alone: bool = False
    certain: bool = True


class Context(NamedTuple):
    """A context manager that is open at a place.

    `ref` is the expression that makes it, `statement` the ``with`` it is an item of, or the statement that
    enters it on an ``ExitStack``. `alone`: it is a plain ``tf.control_dependencies`` of a ``with``, which
    does nothing else. `certain` is False where the dependencies that it adds may also be none.
    """

    ref: Ref
    statement: int
    effect: Effect
    alone: bool
    certain: bool


class Influence(NamedTuple):
    """Control dependencies in force at a place.

    `context` is the innermost expression that brings them; `calls` lead from its block to the place, the
    outermost first, and are empty if the place lies in that block. `programs` are those it holds in.
    `certain` is False where the dependencies may also be none.
    """

    context: Ref
    calls: tuple[Ref, ...]
    programs: tuple[str, ...]
    certain: bool


@once_at
def influences(project: Project, ref: Ref) -> tuple[Influence, ...]:
    """All ways in which control dependencies are in force at `ref`, the shortest first."""
    found: list[Influence] = []
    seen = {id(ref.expr)}
    queue: list[tuple[Ref, tuple[Ref, ...], frozenset[str]]] = [
        (ref, (), frozenset(project.programs_of(ref.key)))
    ]
    while queue and len(seen) < _MOST_PLACES:
        place, calls, programs = queue.pop(0)
        active, cleared = in_force(project, place)
        if active:
            certain = any(context.certain for context in active)
            found.append(Influence(active[-1].ref, calls, tuple(sorted(programs)), certain))
        elif not cleared:
            for site in _calls_that_run(project, place):
                shared = programs.intersection(project.programs_of(site.key))
                if shared and id(site.expr) not in seen:
                    seen.add(id(site.expr))
                    queue.append((site, (site, *calls), shared))
    return tuple(found)


def _calls_that_run(project: Project, place: Ref) -> tuple[Ref, ...]:
    """The calls that run the code at a place: none, if only the first does, and that may be one outside."""
    sites = _calls_of_code_at(project, place)
    if not is_made_once(project, place) or all(in_force(project, site)[0] for site in sites):
        return sites
    return ()


def called_under_influence(project: Project, ref: Ref) -> bool:
    """Whether the function that `ref` lies in is also called where control dependencies are in force."""
    return any(influences(project, site) for site in _calls_of_code_at(project, ref))


def in_force(project: Project, ref: Ref) -> tuple[tuple[Context, ...], bool]:
    """The contexts of the function around `ref` whose control dependencies are in force, outermost first.

    The second value tells whether those of the function's callers are cleared.
    """
    active: list[Context] = []
    cleared = False
    for context in contexts_at(project, ref):
        if context.effect is Effect.CLEARS:
            active, cleared = [], True
        elif context.effect is Effect.ADDS:
            active.append(context)
    return tuple(active), cleared


def contexts_at(project: Project, ref: Ref) -> tuple[Context, ...]:
    """The context managers that are open at `ref` in the function (or module) it lies in, outermost first."""
    facts = project.facts(ref.key)
    assert facts is not None
    if facts.scopes[code_scope(facts, ref.scope)].kind == "lambda":
        return ()
    found: list[tuple[int, int, Context]] = []
    for statement, count in _withs_around(facts, ref):
        for index, item in enumerate(statement.values[:count]):
            item_ref = Ref(ref.key, statement.scope, statement.id, item)
            found.append(
                (statement.id, index, Context(item_ref, statement.id, *effect_of(project, item_ref)))
            )
    for entered, index in _entered_before(project, facts, ref):
        entering = effect_of(project, entered)._replace(alone=False)
        found.append((entered.statement, index, Context(entered, entered.statement, *entering)))
    return tuple(context for _, _, context in sorted(found, key=lambda item: item[:2]))


# -- what is open --------------------------------------------------------------------------------------


def _withs_around(facts: FileFacts, ref: Ref) -> Iterator[tuple[Statement, int]]:
    """The ``with`` statements that are open at `ref`, and how many of their items are."""
    own = facts.statements[ref.statement]
    if own.kind in ("With", "AsyncWith"):
        entered = [_contains(item, ref.expr) for item in own.values]
        yield own, entered.index(True) if True in entered else 0
    for number in ancestors(facts, own.id):
        statement = facts.statements[number]
        if statement.kind in _FUNCTIONS:
            return
        if statement.kind in ("With", "AsyncWith"):
            yield statement, len(statement.values)


def _contains(outer: Expr, inner: Expr) -> bool:
    return any(part is inner for part in walk(outer))


def _entered_before(project: Project, facts: FileFacts, ref: Ref) -> Iterator[tuple[Ref, int]]:
    """What an ``ExitStack`` that is still open at `ref` has entered for certain."""
    own = code_scope(facts, ref.scope)
    for index, (key, site) in enumerate(project.calls_named("enter_context")):
        if key != ref.key or code_scope(facts, site.scope) != own or site.statement == ref.statement:
            continue
        if not isinstance(site.call.func, Attribute) or len(site.call.args) != 1:
            continue
        stack = Ref(key, site.scope, site.statement, site.call.func.value)
        entered = stack._replace(expr=site.call.args[0])
        number = _if_there_are_any(facts, entered)
        if certainly_before(facts, number, ref.statement) and _is_open(project, facts, stack, ref):
            yield entered, index


def _if_there_are_any(facts: FileFacts, entered: Ref) -> int:
    """The statement that enters ``tf.control_dependencies(some)``, or the ``if some:`` around it."""
    statement = facts.statements[entered.statement]
    call = entered.expr
    if statement.parent == NOTHING or not isinstance(call, Call) or len(call.args) != 1:
        return statement.id
    around, given = facts.statements[statement.parent], call.args[0]
    is_alone = around.kind == "If" and statement.block == "body" and not facts.block(around.id, "orelse")
    tested = around.values[0] if is_alone else None
    is_same = isinstance(tested, Name) and isinstance(given, Name) and tested.id == given.id
    return around.id if is_same else statement.id


def _is_open(project: Project, facts: FileFacts, stack: Ref, ref: Ref) -> bool:
    made = origins(project, stack)
    if len(made) != 1 or not externals_called(project, made[0]) & _STACKS:
        return False
    managing = [
        statement.id
        for statement in facts.statements
        if statement.kind in ("With", "AsyncWith")
        for item in statement.values
        if any(
            o.expr is made[0].expr
            for o in origins(project, Ref(ref.key, statement.scope, statement.id, item))
        )
    ]
    if managing:
        return any(number in ancestors(facts, ref.statement) for number in managing)
    return not any(
        use.kind == "attribute" and use.name in _CLOSES and use.ref.statement < ref.statement
        for use in uses(project, made[0])
    )


# -- what a context manager does -----------------------------------------------------------------------


@once_at_in_cycles(Entering(Effect.NONE))  # what a manager that opens itself adds to itself
def effect_of(project: Project, ref: Ref) -> Entering:
    """What entering the context manager `ref` does.

    Where it may be one of several, dependencies are added only if each of them does so.
    """
    found = [_effect_of_origin(project, origin) for origin in origins(project, ref)]
    effects = {entering.effect for entering in found}
    if Effect.CLEARS in effects:
        return Entering(Effect.CLEARS)
    if effects == {Effect.ADDS}:
        return Entering(Effect.ADDS, all(one.alone for one in found), all(one.certain for one in found))
    return Entering(Effect.NONE)


def _effect_of_origin(project: Project, origin: Ref) -> Entering:
    call = origin.expr
    if not isinstance(call, Call) or origin.path:
        return Entering(Effect.NONE)
    names = externals_called(project, origin)
    if _is_control_dependencies(project, origin, call, names):
        given = argument(call, "control_inputs", 0)
        presence = Presence.NEVER if given is None else presence_of(project, origin._replace(expr=given))
        if presence is Presence.NEVER:
            return Entering(Effect.CLEARS)
        return Entering(Effect.ADDS, alone=True, certain=presence is Presence.ALWAYS)
    if tensorflow.INIT_SCOPE in names:
        return Entering(Effect.CLEARS)
    if isinstance(call.func, Attribute) and call.func.attr == "as_default":
        sessions = {f"{name}.as_default" for name in tensorflow.RAW_SESSIONS}
        return Entering(Effect.NONE if names & sessions else Effect.CLEARS)
    return _effect_of_project_manager(project, origin)


def _is_control_dependencies(project: Project, ref: Ref, call: Call, names: frozenset[str]) -> bool:
    """``tf.control_dependencies(…)``, or the method of a graph: of anything that is no project object."""
    if tensorflow.CONTROL_DEPENDENCIES in names:
        return True
    method = tensorflow.CONTROL_DEPENDENCIES_METHOD
    if not isinstance(call.func, Attribute) or call.func.attr != method:
        return False
    if names:
        return all(name.startswith("tensorflow.") for name in names)
    receiver = ref._replace(expr=call.func.value)
    own = definitions(project, ref.key, ref.scope, call.func) or instance_classes(project, receiver)
    return not own


def _effect_of_project_manager(project: Project, ref: Ref) -> Entering:
    """A generator of the project under ``@contextmanager``: what is in force where it yields.

    Of an object of the project, what its ``__enter__`` enters.
    """
    found = {effect_of(project, inner) for inner in _entered_by_objects(project, ref)}
    if found:
        return found.pop()._replace(alone=False) if len(found) == 1 else Entering(Effect.NONE)
    for target in call_targets(project, ref):
        if not is_generator(project, target) or not _has_decorator(project, target, _MANAGER_DECORATORS):
            return Entering(Effect.NONE)
        for place in _yields(project, target):
            active, cleared = in_force(project, place)
            certain = any(context.certain for context in active)
            cleared_only = Entering(Effect.CLEARS if cleared else Effect.NONE)
            found.add(Entering(Effect.ADDS, certain=certain) if active else cleared_only)
    return found.pop() if len(found) == 1 else Entering(Effect.NONE)


def _entered_by_objects(project: Project, ref: Ref) -> Iterator[Ref]:
    """The context managers that the ``__enter__`` of an object of the project enters, and leaves open."""
    for owner in instance_classes(project, ref):
        methods = methods_named(project, owner, _ENTER)
        if not methods or not methods_named(project, owner, _EXIT):
            continue
        facts = project.facts(methods[0].key)
        assert facts is not None
        for site in facts.calls:
            func = site.call.func
            if site.scope == methods[0].scope and isinstance(func, Attribute) and func.attr == _ENTER:
                yield Ref(facts.key, site.scope, site.statement, func.value)


def _yields(project: Project, target: Definition) -> Iterator[Ref]:
    """The places at which a generator hands over to its caller."""
    facts = project.facts(target.key)
    assert facts is not None
    for statement in facts.statements:
        if statement.scope == target.scope:
            parts = (part for value in statement.values for part in walk(value))
            for part in parts:
                if isinstance(part, Other) and part.kind == "Yield":
                    yield Ref(target.key, target.scope, statement.id, part)


# -- who calls -----------------------------------------------------------------------------------------


def _calls_of_code_at(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """The calls that run the function or lambda around `ref` under the caller's control dependencies."""
    facts = project.facts(ref.key)
    assert facts is not None
    target = Definition(ref.key, code_scope(facts, ref.scope))
    scope = scope_of(project, target)
    if scope.id == 0 or is_generator(project, target):
        return ()
    if scope.kind == "function" and _has_decorator(project, target, tensorflow.NEW_GRAPH_DECORATORS):
        return ()
    return (*all_calls_of(project, target), *_calls_by_decorators(project, target))


def _calls_by_decorators(project: Project, target: Definition) -> Iterator[Ref]:
    """The calls that run a function inside of what its decorators put in its place."""
    scope, outer = scope_of(project, target), _home_of(project, target)
    for item in scope.decorators if scope.kind == "function" else ():
        for decorator in definitions(project, target.key, outer, item):
            yield from _calls_of_first_parameter(project, decorator)


def _calls_of_first_parameter(project: Project, function: Definition) -> Iterator[Ref]:
    facts, parameters = project.facts(function.key), scope_of(project, function).parameters
    for site in facts.calls if facts is not None and parameters else ():
        func = site.call.func
        if facts is None or not isinstance(func, Name) or func.id != parameters[0].name:
            continue
        known = lookup(facts, site.scope, func.id)
        if known is not None and known.scope == function.scope:
            yield ref_of_call(function.key, site)


def _home_of(project: Project, target: Definition) -> int:
    """The scope that a ``def`` and its decorators stand in."""
    facts = project.facts(target.key)
    assert facts is not None
    scope = facts.scopes[target.scope]
    return facts.statements[scope.statement].scope if scope.statement != NOTHING else 0


def _has_decorator(project: Project, target: Definition, names: frozenset[str]) -> bool:
    outer = _home_of(project, target)
    return any(
        external_names(project, target.key, outer, item.func if isinstance(item, Call) else item) & names
        for item in scope_of(project, target).decorators
    )
