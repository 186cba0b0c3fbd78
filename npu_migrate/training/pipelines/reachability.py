"""Whether a program ever gets to a piece of code, as far as its calls show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from npu_migrate.index.facts import NOTHING, Call, Constant, Expr, Lambda, Name, Operation
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import is_partial
from npu_migrate.semantics.function_calls import all_calls_of
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.input_functions import references

_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")

Steps = Callable[[Project, Definition], Iterable[Ref]]
"""Where a function is run from."""


@once
def is_reached(project: Project, ref: Ref, program: str) -> bool:
    """Whether module-level code of the program leads to `ref`: by calls, or by handing its function on."""
    files = project.programs.by_entry[program].files
    if _starts(project, ref).isdisjoint(files):
        return False
    return any(is_run_by(project, one, program) for one in beginnings(project, ref, files))


def is_run_by(project: Project, beginning: Ref, program: str) -> bool:
    """Whether module-level code of a file is not only for who starts this file, if another one is started."""
    facts = project.facts(beginning.key)
    assert facts is not None
    if beginning.key == program:
        return True
    return not any(
        facts.statements[around].kind == "If" and _asks_for_script(facts.statements[around].values[0])
        for number in (beginning.statement, *ancestors(facts, beginning.statement))
        if facts.statements[number].block == "body"
        for around in (facts.statements[number].parent,)
        if around != NOTHING
    )


def _asks_for_script(test: Expr) -> bool:
    """``__name__ == "__main__"``."""
    if not isinstance(test, Operation) or test.operator != "Eq":
        return False
    names = any(isinstance(one, Name) and one.id == "__name__" for one in test.operands)
    return names and any(isinstance(one, Constant) and one.value == "__main__" for one in test.operands)


@once
def _starts(project: Project, ref: Ref) -> frozenset[str]:
    """The files whose module-level code leads to `ref`, in whatever program: most have none of them."""
    return frozenset(one.key for one in beginnings(project, ref, None))


def beginnings(project: Project, ref: Ref, files: frozenset[str] | None) -> Iterator[Ref]:
    """The module-level code that leads to `ref`, through `files` alone if they are given."""
    return (one for one in ways_to(project, ref, calls_seen, files) if function_at(project, one) == 0)


def ways_to(project: Project, ref: Ref, steps: Steps, files: frozenset[str] | None = None) -> Iterator[Ref]:
    """`ref` and all code that leads to it, through `files` alone if they are given.

    `steps` says where a function is run from; it is asked once for each.
    """
    seen: set[Definition] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        if project.facts(current.key) is None or (files is not None and current.key not in files):
            continue
        yield current
        definition = Definition(current.key, function_at(project, current))
        if definition.scope and definition not in seen:
            seen.add(definition)
            stack.extend(steps(project, definition))


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
