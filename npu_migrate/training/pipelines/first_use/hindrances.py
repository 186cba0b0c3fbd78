"""What an iterator on first use cannot be made of, or where."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Call, Expr, Name, walk
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names

_MOST_STEPS = 400
_PLACEHOLDERS = frozenset({"tensorflow.placeholder", "tensorflow.placeholder_with_default"})
_FUNCTION_DECORATORS = frozenset(
    {
        "tensorflow.function",
        "tensorflow.contrib.eager.defun",
        "tensorflow.contrib.eager.function",
        "tensorflow.python.eager.def_function.function",
        "tensorflow.python.eager.function.defun",
        "tensorflow.python.framework.function.Defun",
    }
)


def stands_on_placeholder(project: Project, ref: Ref) -> bool:
    """Whether what the call at `ref` makes is built on a ``tf.placeholder``, through datasets and names."""
    seen: set[int] = set()
    stack = [ref]
    while stack and len(seen) < _MOST_STEPS:
        current = stack.pop()
        for part in walk(current.expr):
            if id(part) in seen or not isinstance(part, (Call, Name)):
                continue
            seen.add(id(part))
            here = current._replace(expr=part, path=())
            if isinstance(part, Call) and externals_called(project, here) & _PLACEHOLDERS:
                return True
            stack.extend(one for one in origins(project, here) if id(one.expr) not in seen)
    return False


def is_in_graph_function(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` lies in the body of a ``tf.function``."""
    facts = project.facts(ref.key)
    assert facts is not None
    scope = facts.scopes[ref.scope]
    while scope.parent != NOTHING:
        if any(_makes_graph_function(project, ref.key, scope.parent, one) for one in scope.decorators):
            return True
        scope = facts.scopes[scope.parent]
    return False


def _makes_graph_function(project: Project, key: str, scope: int, decorator: Expr) -> bool:
    called = decorator.func if isinstance(decorator, Call) else decorator
    return bool(external_names(project, key, scope, called) & _FUNCTION_DECORATORS)
