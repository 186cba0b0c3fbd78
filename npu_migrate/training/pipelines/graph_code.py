"""Whether code builds a graph, wherever it stands."""

from __future__ import annotations

from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.input_functions import input_employment


def is_graph_code(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` runs in graph mode: it is not eager, or is an Estimator's input function."""
    if not is_eager(project, ref):
        return True
    facts = project.facts(ref.key)
    assert facts is not None
    scope = code_scope(facts, ref.scope)
    return scope != 0 and input_employment(project, Definition(ref.key, scope)) != "no"
