"""What an iterator on first use cannot be made of, or where."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Call, Expr
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import external_names

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
