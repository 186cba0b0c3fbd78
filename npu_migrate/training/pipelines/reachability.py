"""Whether a program ever gets to a piece of code, as far as its calls show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from npu_migrate.index.facts import NOTHING, Call, Lambda, Name, last_name
from npu_migrate.index.guards import is_for_scripts
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.function_calls import all_calls_of
from npu_migrate.semantics.flow import is_partial
from npu_migrate.semantics.inheritance import is_below_library
from npu_migrate.semantics.resolution import Definition, external_names
from npu_migrate.training.pipelines.input_functions import references

_MAIN = "main"
_RUN = "run"
_FOUND_BY_NAME = ("__", "test")
_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")

Steps = Callable[[Project, Definition], Iterable[Ref]]
"""Where a function is run from."""


def is_reached(project: Project, ref: Ref, program: str) -> bool:
    """Whether module-level code of the program leads to `ref`: by calls, or by handing its function on.

    So does ``main``, which ``tf.app.run()`` calls by its name, or a command that the package installs.
    """
    if project.facts(ref.key) is None or ref.key not in project.programs.by_entry[program].files:
        return False
    function = function_of(project, ref)
    if function.scope == 0:
        return is_run_by(project, ref, program)
    return _is_function_reached(project, function, program)


@once
def _is_function_reached(project: Project, function: Definition, program: str) -> bool:
    files = project.programs.by_entry[program].files
    if not _starts(project, function).isdisjoint(files) and any(
        function_at(project, one) == 0 and is_run_by(project, one, program)
        for one in ways_to_function(project, function, calls_seen, files)
    ):
        return True
    if not _runs_main(project, program):
        return False
    return is_main(project, function, program) or any(
        is_main(project, function_of(project, one), program)
        for one in ways_to_function(project, function, calls_seen, files)
    )


@once
def _runs_main(project: Project, program: str) -> bool:
    """Whether the script that is started leaves it to others to call its ``main``: to TensorFlow, or, where
    nobody calls it, to the command as which it is installed."""
    facts = project.facts(program)
    if facts is None:
        return False
    found = facts.scopes[0].bindings.get(_MAIN, ())
    defined = [Definition(program, binding.defines) for binding in found if binding.defines != NOTHING]
    if defined and not any(calls_seen(project, one) for one in defined):
        return True
    return any(
        external_names(project, program, site.scope, site.call.func) & APP_RUNS
        for site in facts.calls
        if isinstance(site.call.func, Name) or last_name(site.call.func) == _RUN
    )


def is_main(project: Project, function: Definition, program: str) -> bool:
    """Whether a function is the ``main`` of the script that is started."""
    facts = project.facts(function.key)
    assert facts is not None
    return function.key == program and facts.scopes[function.scope].name == _MAIN


def is_run_by(project: Project, beginning: Ref, program: str) -> bool:
    """Whether module-level code of a file is not only for who starts this file, if another one is started."""
    facts = project.facts(beginning.key)
    assert facts is not None
    if beginning.key == program:
        return True
    return not any(
        facts.statements[inner.parent].kind == "If"
        and is_for_scripts(facts.statements[inner.parent].values[0], inner.block)
        for inner in (
            facts.statements[number]
            for number in (beginning.statement, *ancestors(facts, beginning.statement))
        )
        if inner.parent != NOTHING
    )


@once
def _starts(project: Project, function: Definition) -> frozenset[str]:
    """The files whose module-level code leads to a function, in whatever program: most have none of them."""
    ways = ways_to_function(project, function, calls_seen)
    return frozenset(one.key for one in ways if function_at(project, one) == 0)


def beginnings(project: Project, ref: Ref, files: frozenset[str] | None) -> Iterator[Ref]:
    """The module-level code that leads to `ref`, through `files` alone if they are given."""
    return (one for one in ways_to(project, ref, calls_seen, files) if function_at(project, one) == 0)


def ways_to(project: Project, ref: Ref, steps: Steps, files: frozenset[str] | None = None) -> Iterator[Ref]:
    """`ref` and all code that leads to it, through `files` alone if they are given."""
    if project.facts(ref.key) is not None and (files is None or ref.key in files):
        yield ref
        yield from ways_to_function(project, function_of(project, ref), steps, files)


def ways_to_function(
    project: Project, function: Definition, steps: Steps, files: frozenset[str] | None = None
) -> Iterator[Ref]:
    """All code that leads to a function, through `files` alone if they are given; none to scope 0.

    `steps` says where a function is run from; it is asked once for each.
    """
    seen = {function}
    stack = list(steps(project, function)) if function.scope else []
    while stack:
        current = stack.pop()
        if project.facts(current.key) is None or (files is not None and current.key not in files):
            continue
        yield current
        around = function_of(project, current)
        if around.scope and around not in seen:
            seen.add(around)
            stack.extend(steps(project, around))


def function_of(project: Project, ref: Ref) -> Definition:
    """The function with the code at `ref`; scope 0 stands for module-level code."""
    return Definition(ref.key, function_at(project, ref))


def function_at(project: Project, ref: Ref) -> int:
    """The scope of the function with the code at `ref`; 0 for module-level code.

    What is a parameter's value if nothing else is given, only the function of this parameter can call.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    statement = facts.statements[ref.statement]
    if statement.kind in _FUNCTIONS and _is_kept_as_default(project, ref):
        return statement.defines
    return enclosing_function(facts, ref.scope)


def _is_kept_as_default(project: Project, ref: Ref) -> bool:
    """Whether code is, or lies in, a function that a ``def`` only keeps as the default of a parameter."""
    facts = project.facts(ref.key)
    assert facts is not None
    called = False
    outer: Ref | None = ref
    while outer is not None:
        current = outer
        outer = project.parent_ref(current)
        if outer is not None and isinstance(outer.expr, Lambda) and outer.expr.body is current.expr:
            called = False
        elif isinstance(current.expr, Call):
            called = called or not is_partial(project, current)
    parameters = facts.scopes[facts.statements[ref.statement].defines].parameters
    return not called and any(one.default is current.expr for one in parameters)


@once
def is_named(project: Project, ref: Ref, files: frozenset[str]) -> bool:
    """Whether code in `files` names the function with the code at `ref`: what nothing names is not run there.

    A library may call what it knows the name of: methods of classes that are derived from its own, tests,
    ``main``, Python's own methods, and what a decorator got.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    scope = facts.scopes[function_at(project, ref)]
    if scope.id == 0 or scope.kind != "function" or scope.decorators:
        return True
    if scope.name == _MAIN or scope.name.startswith(_FOUND_BY_NAME):
        return True
    if any(key in files for key, _ in (*project.calls_named(scope.name), *project.calls_named("getattr"))):
        return True
    definition = Definition(ref.key, scope.id)
    return is_below_library(project, definition) or any(
        one.key in files for one in references(project, definition)
    )


@once
def calls_seen(project: Project, definition: Definition) -> tuple[Ref, ...]:
    """The steps that are certain: where a function is called or handed on, or its class is read."""
    return (
        *references(project, definition),
        *all_calls_of(project, definition),
        *constructions(project, definition),
    )


def constructions(project: Project, definition: Definition) -> tuple[Ref, ...]:
    """Where the class of an ``__init__`` is read: making an instance runs it."""
    facts = project.facts(definition.key)
    assert facts is not None
    scope = facts.scopes[definition.scope]
    if scope.name != "__init__" or facts.scopes[scope.parent].kind != "class":
        return ()
    return references(project, Definition(definition.key, scope.parent))
