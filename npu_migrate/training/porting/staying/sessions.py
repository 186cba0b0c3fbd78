"""Sessions that are not moved: those of tests, of eager code, of exports, and those for the CPU."""

from __future__ import annotations

from npu_migrate.index.facts import last_name
from npu_migrate.index.names import code_scope
from npu_migrate.knowledge.tensorflow import EXPORTING
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.porting.session_openings import SessionOpening
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.trains import surely_trains


def stays(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is not meant for an accelerator, or is none that a config can move."""
    call = opening.call
    return (
        in_test(project, call)
        or is_eager(project, call)
        or (_is_for_export(project, call) and not surely_trains(project, opening))
        or (opening.given is not None and asks_for_cpu(project, opening.given))
    )


def _is_for_export(project: Project, call: Ref) -> bool:
    """Whether the function around a session exports a model, which it may have trained before."""
    facts = project.facts(call.key)
    assert facts is not None
    home = code_scope(facts, call.scope)
    return home != 0 and any(
        last_name(site.call.func) in EXPORTING and code_scope(facts, site.scope) == home
        for site in facts.calls
    )
