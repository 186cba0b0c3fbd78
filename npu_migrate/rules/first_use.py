"""What NPU101 and NPU102 do where a team wants iterators to be initialized on first use."""

from __future__ import annotations

from npu_migrate.findings import Applicability
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.training.loss_scaling.control_dependencies import influences
from npu_migrate.training.pipelines.first_use.planning import plan_first_use
from npu_migrate.training.pipelines.imported_graphs import may_run_imported
from npu_migrate.training.pipelines.iterators import Creation
from npu_migrate.training.pipelines.placement.spot import Plan, manual

TITLE = "Have each session initialize the iterator when it first uses it"

IMPORTED = (
    "the program imports a saved graph: where another process runs this pipeline in there, it has to run the "
    "initializer itself"
)

OBSTACLES = {
    "function": "the iterator is made inside a tf.function: make it outside",
    "feed": "its dataset stands on a placeholder: run its initializer by itself, with the feed_dict",
    "control-dependencies": "its dataset is made under control dependencies, and initializing it would run "
    "these: make the dataset before",
    "module-place": "no place is in sight from which all programs of this file could import a module that "
    "initializes iterators on first use",
    "arguments": "the iterator is made with further arguments: run its initializer before its first use",
}


def wanted(project: Project, creation: Creation, explicit: Plan) -> Plan:
    """The plan for an iterator by the setting ``initialize``; `explicit` would place an initializer."""
    setting = project.options.initialize
    certain = not explicit.obstacle and explicit.applicability is Applicability.SAFE
    if setting == "explicit" or explicit.obstacle in ("rec", "keras") or (setting != "first-use" and certain):
        return explicit
    plan = _plan(project, creation)
    return explicit if plan.obstacle and setting != "first-use" else plan


def instead(project: Project, creation: Creation, explicit: Plan, obstacle: str) -> Plan:
    """The same where the names that the `explicit` plan needs cannot be had, which `obstacle` says."""
    return wanted(project, creation, explicit._replace(obstacle=obstacle))


def _plan(project: Project, creation: Creation) -> Plan:
    if _is_made_under_control_dependencies(project, creation):
        return manual("control-dependencies")
    plan = plan_first_use(project, creation)
    if may_run_imported(project, creation.ref.key):
        return plan._replace(applicability=Applicability.UNSAFE)
    return plan


def _is_made_under_control_dependencies(project: Project, creation: Creation) -> bool:
    """Whether the dataset is, wherever it comes from; those of the iterator alone do no harm."""
    if creation.dataset is None:
        return False
    dataset: Ref = creation.ref._replace(expr=creation.dataset)
    return any(influences(project, origin) for origin in origins(project, dataset))
