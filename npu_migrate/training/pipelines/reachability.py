"""Whether a program ever gets to a piece of code, as far as its calls show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from npu_migrate.index.names import enclosing_function
from npu_migrate.knowledge.tensorflow import APP_RUNS
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition, External, all_bases
from npu_migrate.training.pipelines.input_functions import references

_MAIN = "main"
_FOUND_BY_NAME = ("__", "test")
_PLAIN_BASES = frozenset({"object", "builtins.object", "abc.ABC"})

Steps = Callable[[Project, Definition], Iterable[Definition]]
"""From where a function is run: functions, and module-level code, which has the scope 0."""


def is_reached(project: Project, ref: Ref, program: str) -> bool:
    """Whether module-level code of the program leads to `ref`: by calls, or by handing its function on.

    So does ``main``, which ``tf.app.run()`` calls by its name.
    """
    return project.facts(ref.key) is not None and is_function_reached(
        project, function_of(project, ref), program
    )


@once
def is_function_reached(project: Project, function: Definition, program: str) -> bool:
    """Whether a program gets to a function, as `is_reached` does; scope 0 is module-level code."""
    files = project.programs.by_entry[program].files
    if not _starts(project, function).isdisjoint(files) and any(
        one.scope == 0 for one in functions_before(project, function, run_from, files)
    ):
        return True
    return _runs_main(project, program) and any(
        is_main(project, one, program) for one in functions_before(project, function, run_from, files)
    )


@once
def _runs_main(project: Project, program: str) -> bool:
    """Whether the script that is started leaves it to TensorFlow to call its ``main``."""
    facts = project.facts(program)
    if facts is None:
        return False
    refs = (Ref(program, site.scope, site.statement, site.call) for site in facts.calls)
    return any(externals_called(project, ref) & APP_RUNS for ref in refs)


def is_main(project: Project, function: Definition, program: str) -> bool:
    """Whether a function is the ``main`` of the script that is started."""
    facts = project.facts(function.key)
    assert facts is not None
    return function.key == program and facts.scopes[function.scope].name == _MAIN


@once
def _starts(project: Project, function: Definition) -> frozenset[str]:
    """The files whose module-level code leads to a function, in whatever program: most have none of them."""
    return frozenset(one.key for one in functions_before(project, function, run_from) if one.scope == 0)


def functions_before(
    project: Project, function: Definition, steps: Steps, files: frozenset[str] | None = None
) -> Iterator[Definition]:
    """`function` and all that lead to it, each once, through `files` alone if they are given."""
    seen: set[Definition] = set()
    stack = [function]
    while stack:
        current = stack.pop()
        if current in seen or (files is not None and current.key not in files):
            continue
        seen.add(current)
        yield current
        if current.scope:
            stack.extend(steps(project, current))


@once
def run_from(project: Project, function: Definition) -> tuple[Definition, ...]:
    """From where a function is run for certain."""
    return functions_of(project, calls_seen(project, function))


def functions_of(project: Project, refs: Iterable[Ref]) -> tuple[Definition, ...]:
    """The functions with the code at `refs`, each once."""
    known = (ref for ref in refs if project.facts(ref.key) is not None)
    return tuple(dict.fromkeys(function_of(project, ref) for ref in known))


def beginnings(project: Project, ref: Ref, files: frozenset[str]) -> Iterator[Ref]:
    """The module-level code that leads to `ref` through `files`, which it may be itself."""
    function = function_of(project, ref)
    if function.scope == 0 and ref.key in files:
        yield ref
    for one in functions_before(project, function, run_from, files):
        for step in calls_seen(project, one) if one.scope else ():
            if step.key in files and function_at(project, step) == 0:
                yield step


def function_of(project: Project, ref: Ref) -> Definition:
    """The function with the code at `ref`; that of scope 0 stands for module-level code."""
    return Definition(ref.key, function_at(project, ref))


def function_at(project: Project, ref: Ref) -> int:
    """The scope of the function with the code at `ref`; 0 for module-level code."""
    facts = project.facts(ref.key)
    assert facts is not None
    return enclosing_function(facts, ref.scope)


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
    if facts.scopes[scope.parent].kind == "class":
        bases = all_bases(project, Definition(ref.key, scope.parent))
        if any(isinstance(base, External) and base.name not in _PLAIN_BASES for base in bases):
            return True
    return any(one.key in files for one in references(project, definition))


def calls_seen(project: Project, definition: Definition) -> Iterator[Ref]:
    """The steps that are certain: where a function is called or handed on, or its class is read."""
    yield from references(project, definition)
    yield from all_calls_of(project, definition)
    yield from constructions(project, definition)


def constructions(project: Project, definition: Definition) -> tuple[Ref, ...]:
    """Where the class of an ``__init__`` is read: making an instance runs it."""
    facts = project.facts(definition.key)
    assert facts is not None
    scope = facts.scopes[definition.scope]
    if scope.name != "__init__" or facts.scopes[scope.parent].kind != "class":
        return ()
    return references(project, Definition(definition.key, scope.parent))
