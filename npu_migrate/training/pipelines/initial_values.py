"""Variables whose initial value is read from a pipeline: the pipeline has to be initialized before them."""

from __future__ import annotations

from npu_migrate.index.facts import Call, Expr, FileFacts, walk
from npu_migrate.index.stores import reads_one_of, stored_texts
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.statements import statements_of_scope

_MAKERS = frozenset(
    {"tensorflow.Variable", "tensorflow.get_variable", "tensorflow.contrib.framework.local_variable"}
)


def feeds_a_variable(project: Project, facts: FileFacts, statement: int) -> bool:
    """Whether what `statement` stores flows, within its function, into the making of a variable.

    Follows names from statement to statement in source order.
    """
    return _feeds_a_variable(project, facts.key, statement)


@once
def _feeds_a_variable(project: Project, key: str, statement: int) -> bool:
    facts = project.facts(key)
    assert facts is not None
    made = facts.statements[statement]
    tainted = set(stored_texts(made.targets))
    for later in statements_of_scope(project, facts, made.scope):
        if later.id <= statement:
            continue
        reading = [value for value in later.values if reads_one_of(value, tainted)]
        if any(_makes_variable(project, facts, later.scope, value, tainted) for value in reading):
            return True
        if reading:
            tainted.update(stored_texts(later.targets))
    return False


def _makes_variable(project: Project, facts: FileFacts, scope: int, expr: Expr, names: set[str]) -> bool:
    return any(
        isinstance(part, Call)
        and any(reads_one_of(value, names) for value in (*part.args, *(k.value for k in part.keywords)))
        and bool(external_names(project, facts.key, scope, part.func) & _MAKERS)
        for part in walk(expr)
    )
