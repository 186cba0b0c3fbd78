"""Whether lookup tables are initialized on the host: in one run with an iterator, which stays there (OM)."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.training.pipelines.groups import ungrouped
from npu_migrate.training.pipelines.registration import registrations
from npu_migrate.training.reading.read_data import makes_data
from npu_migrate.training.reading.session_fetches import all_fetchings


@once
def initializes_tables_on_host(project: Project, program: str) -> bool:
    """Whether a run of a program initializes tables and an iterator, or the program registers one for it."""
    files = project.programs.by_entry[program].files
    if any(call.key in files for call in registrations(project)):
        return True
    return any(
        fetching.call.key in files and _has_both(project, fetching.fetches.ref)
        for fetching in all_fetchings(project)
    )


def _has_both(project: Project, fetches: Ref) -> bool:
    parts = tuple(ungrouped(project, fetches))
    has_tables = any(tf.TABLES_INITIALIZER in externals_called(project, part) for part in parts)
    return has_tables and any(_initializes_iterator(project, part) for part in parts)


def _initializes_iterator(project: Project, part: Ref) -> bool:
    expr = part.expr
    if isinstance(expr, Call):
        return last_name(expr.func) == "make_initializer"
    if not isinstance(expr, Attribute) or expr.attr != "initializer":
        return False
    return any(makes_data(project, made) for made in origins(project, part._replace(expr=expr.value)))
