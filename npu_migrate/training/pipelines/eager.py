"""Which code runs eagerly, where an initializable iterator cannot exist."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Call, Expr, FileFacts, Operation, last_name
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_sites
from npu_migrate.semantics.resolution import Definition, external_names

_SWITCH_NAMES = tuple(sorted({name.rpartition(".")[2] for name in tf.EAGER_SWITCHES}))
_GRAPH_DECORATORS = ("run_in_graph", "run_deprecated_v1", "run_v1_only", "graph_mode", "test_in_graph")


def is_eager(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` runs after eager execution was switched on, outside of graph code.

    ``Graph().as_default()`` blocks and functions run through graph-mode decorators are graph code; so are
    input functions, which their users have to tell apart (`npu_migrate.training.pipelines.input_functions`).
    """
    if _in_eager_branch(project, ref):
        return True
    return _switched_on(project, ref.key) and not _in_graph(project, ref)


def _in_eager_branch(project: Project, ref: Ref) -> bool:
    """Whether ``if tf.executing_eagerly():`` guards the code, on whichever side that is."""
    facts = project.facts(ref.key)
    assert facts is not None
    inner = facts.statements[ref.statement]
    for number in ancestors(facts, ref.statement):
        outer = facts.statements[number]
        if outer.kind == "If" and inner.parent == number:
            asked = _asks_for_eager(outer.values[0])
            if asked is not None and asked == (inner.block == "body"):
                return True
        inner = outer
    return False


def _asks_for_eager(test: Expr) -> bool | None:
    """True for ``….executing_eagerly()``, False for its negation, None for other tests."""
    if isinstance(test, Operation) and test.operator == "Not":
        inner = _asks_for_eager(test.operands[0])
        return None if inner is None else not inner
    if isinstance(test, Call) and last_name(test.func) == "executing_eagerly":
        return True
    return None


def _switched_on(project: Project, key: str) -> bool:
    """Whether the file itself, or every program that it belongs to, switches eager execution on."""
    switching = _switching_files(project)
    if key in switching:
        return True
    programs = project.programs_of(key)
    return bool(programs) and all(program in switching for program in programs)


@once
def _switching_files(project: Project) -> frozenset[str]:
    found = set()
    for name in _SWITCH_NAMES:
        for key, site in project.calls_named(name):
            if external_names(project, key, site.scope, site.call.func) & tf.EAGER_SWITCHES:
                found.add(key)
    return frozenset(found)


def _in_graph(project: Project, ref: Ref) -> bool:
    """Whether a graph block or decorator is in force at `ref`, there or at every call of its function."""
    facts = project.facts(ref.key)
    assert facts is not None
    for number in (ref.statement, *ancestors(facts, ref.statement)):
        statement = facts.statements[number]
        if statement.kind == "With" and any(
            _enters_graph(project, facts, v, number) for v in statement.values
        ):
            return True
    scope = facts.scopes[ref.scope]
    while scope.kind != "module":
        if scope.kind == "function":
            if any(_is_graph_decorator(item) for item in scope.decorators):
                return True
            return _called_in_graph(project, Definition(ref.key, scope.id))
        if scope.parent == NOTHING:
            break
        scope = facts.scopes[scope.parent]
    return False


@once_in_cycles(False)
def _called_in_graph(project: Project, function: Definition) -> bool:
    """Whether a function is called, and only where a graph block or decorator is in force."""
    sites = call_sites(project, function)
    return bool(sites) and all(_in_graph(project, site) for site in sites)


def _enters_graph(project: Project, facts: FileFacts, value: Expr, statement: int) -> bool:
    """``with tf.Graph().as_default()``, ``with graph.as_default()``, ``with tf.Session(graph=…)``."""
    if not isinstance(value, Call):
        return False
    scope = facts.statements[statement].scope
    if external_names(project, facts.key, scope, value.func) & tf.RAW_SESSIONS:
        return True
    name = getattr(value.func, "attr", "")
    return name == "as_default" and "sess" not in str(getattr(value.func, "value", ""))


def _is_graph_decorator(decorator: Expr) -> bool:
    func = decorator.func if isinstance(decorator, Call) else decorator
    name = getattr(func, "attr", None) or getattr(func, "id", "")
    return str(name).startswith(_GRAPH_DECORATORS)
